package dev.sailfish.web.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.web.WebServices;
import dev.sailfish.web.rights.Rights;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.NonBlocking;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** For who sees the pages in a browser, which cannot send a token by itself. */
@Path("/")
@Tag(name = "login")
public class LoginResource {
  /** A token has some kilobytes at most. */
  private static final int LIMIT = 16 << 10;

  private final Rights rights;
  private final boolean tls;
  private final CurrentVertxRequest request;
  private final ObjectMapper json;
  private final Bodies bodies;

  /**
   * What is sent to log in.
   *
   * @param token as in the file of the settings
   */
  public record Login(String token) {}

  /** With the rights that are checked. */
  @Inject
  public LoginResource(
      WebServices services, CurrentVertxRequest request, ObjectMapper json, Bodies bodies) {
    this.rights = services.rights();
    this.tls = services.isTls();
    this.request = request;
    this.json = json;
    this.bodies = bodies;
  }

  /** Gives a cookie for the token. */
  @POST
  @Path("login")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Gives a cookie for the token",
      description = "A user with Kerberos needs none: he gets a cookie with his first answer.")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Login.class)))
  @NonBlocking
  public CompletionStage<Response> login() {
    return bodies.answer(request.getCurrent(), LIMIT, this::login);
  }

  private Response login(byte[] body) {
    Login login = said(body);
    boolean good = login != null && login.token() != null && rights.isToken(login.token().strip());
    if (!rights.isOpen() && !good) {
      throw new ProblemException(
          Response.Status.UNAUTHORIZED,
          "This is not the token: it is in the file that sailfish.web.token.file names.");
    }
    return answer(LoginCookie.set(rights, rights.ofToken(), tls));
  }

  /** What was sent; null: nothing. */
  private Login said(byte[] body) {
    try {
      return body.length == 0 ? null : json.readValue(body, Login.class);
    } catch (IOException e) {
      throw new ProblemException(
          Response.Status.BAD_REQUEST, "The body is not an object with a token.");
    }
  }

  /** Takes the cookie back. */
  @POST
  @Path("logout")
  @Operation(summary = "Takes the cookie back")
  public Response logout() {
    return answer(LoginCookie.clear(tls));
  }

  private static Response answer(String cookie) {
    return Response.noContent().header("Set-Cookie", cookie).build();
  }
}
