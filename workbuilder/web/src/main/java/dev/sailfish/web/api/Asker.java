package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import dev.sailfish.web.rights.Login;
import dev.sailfish.web.rights.Viewer;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import java.io.IOException;

/** Who has sent the request that is being answered; of what {@link Gate} has let through. */
@RequestScoped
public class Asker {
  private static final String LOGIN = "sailfish.login";

  private final RoutingContext request;
  private final WebServices services;

  /** Of one request. */
  @Inject
  public Asker(RoutingContext request, WebServices services) {
    this.request = request;
    this.services = services;
  }

  /** A request has proved who sends it. */
  static void is(RoutingContext request, Login login) {
    request.put(LOGIN, login);
  }

  /** What the request has proved. */
  Login login() {
    Login login = request.get(LOGIN);
    if (login == null) {
      throw new IllegalStateException("the request has come past the gate");
    }
    return login;
  }

  /** Who it is, with his groups; may wait some seconds for this host to tell them. */
  Viewer viewer() {
    return services.rights().viewer(login());
  }

  /**
   * Goes on where he may see a job.
   *
   * @throws ProblemException as if there were no such job
   * @throws IOException when the history cannot be read
   */
  void requireJob(String id) throws IOException {
    if (!services.isThere(id, viewer())) {
      throw ProblemException.notFound("job of this id");
    }
  }
}
