package dev.sailfish.web.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.web.WebServices;
import dev.sailfish.web.rights.Login;
import dev.sailfish.web.rights.Rights;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Comes before all that is served: sets the headers that every answer has, refuses who may not see
 * what he asks for, and gives the one page to all addresses of pages. On the threads of the server.
 */
@Singleton
public class Gate {
  private static final Logger LOG = Logger.getLogger(Gate.class);
  private static final int FIRST = 10_000;
  private static final String NOTHING = "There is no such address.";
  private static final String INDEX = "/index.html";
  private static final String CHALLENGE = "WWW-Authenticate";
  private static final String SECURITY =
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  /** What is not a page, nor a file of one. */
  private static final List<String> DATA = List.of("/api", "/q", "/metrics");

  /** What has no page below it. */
  private static final List<String> FILES = List.of("/app", "/webjars", "/login", "/logout");

  /** What counts jobs of all users. */
  private static final List<String> COUNTED = List.of("/metrics");

  private final Rights rights;
  private final boolean tls;
  private final ObjectMapper json;

  /** With the rights that are checked. */
  @Inject
  public Gate(WebServices services, ObjectMapper json) {
    this.rights = services.rights();
    this.tls = services.isTls();
    this.json = json;
  }

  void register(@Observes Filters filters) {
    filters.register(this::pass, FIRST);
  }

  /** What nothing else serves. */
  void register(@Observes Router router) {
    router
        .route("/api/*")
        .last()
        .handler(context -> refuse(context, Response.Status.NOT_FOUND, NOTHING));
  }

  private void pass(RoutingContext context) {
    MultiMap headers = context.response().headers();
    headers.set("Content-Security-Policy", SECURITY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    // The pages tell times by this clock.
    headers.set(
        "Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(OffsetDateTime.now(ZoneOffset.UTC)));
    String path = context.normalizedPath();
    if (!isSecret(path, context.request().method())) {
      serve(context, path);
      return;
    }
    String authorization = context.request().getHeader("Authorization");
    if (rights.isNegotiation(authorization)) {
      negotiate(context, authorization);
      return;
    }
    rights
        .login(authorization, LoginCookie.of(context.request()))
        .ifPresentOrElse(login -> admit(context, login), () -> challenge(context));
  }

  /** Looks at a ticket, on a thread that may take its time. */
  private void negotiate(RoutingContext context, String authorization) {
    apart(
        context,
        () -> rights.negotiate(authorization),
        known -> {
          MultiMap headers = context.response().headers();
          headers.add(CHALLENGE, known.reply());
          headers.add("Set-Cookie", LoginCookie.set(rights, known.login(), tls));
          admit(context, known.login());
        });
  }

  /** Goes on with what is found out on another thread; without it nobody is let in. */
  private <T> void apart(RoutingContext context, Callable<T> work, Consumer<T> next) {
    context.request().pause();
    context
        .vertx()
        .executeBlocking(work, false)
        .onComplete(
            done -> {
              context.request().resume();
              if (done.succeeded()) {
                next.accept(done.result());
              } else if (done.cause() instanceof IOException refused) {
                LOG.debugf("a request is not let in: %s", refused.getMessage());
                challenge(context);
              } else {
                context.fail(done.cause());
              }
            });
  }

  private void admit(RoutingContext context, Login login) {
    Asker.is(context, login);
    String path = context.normalizedPath();
    if (login.isUser() && isBelow(path, COUNTED)) {
      apart(
          context,
          () -> rights.viewer(login).everything(),
          everything -> {
            if (everything) {
              serve(context, path);
            } else {
              refuse(context, Response.Status.NOT_FOUND, NOTHING);
            }
          });
    } else {
      serve(context, path);
    }
  }

  private static void serve(RoutingContext context, String path) {
    if (isPage(context, path)) {
      context.reroute(INDEX);
    } else {
      keepFresh(context, path);
      context.next();
    }
  }

  private static boolean isBelow(String path, List<String> places) {
    for (String place : places) {
      if (path.equals(place) || path.startsWith(place + "/")) {
        return true;
      }
    }
    return false;
  }

  /** Reports bear a signature, and health says nothing of jobs. */
  private static boolean isSecret(String path, HttpMethod method) {
    boolean report = path.startsWith("/api/v1/reports/") && method.equals(HttpMethod.POST);
    return isBelow(path, DATA) && !report && !isBelow(path, List.of("/q/health"));
  }

  private void challenge(RoutingContext context) {
    MultiMap asked = context.request().headers();
    MultiMap headers = context.response().headers();
    if (rights.isKerberos()) {
      headers.add(CHALLENGE, "Negotiate");
    }
    headers.add(CHALLENGE, "Bearer realm=\"sailfish\"");
    String accept = String.valueOf(asked.get("Accept"));
    boolean script =
        "cors".equals(asked.get("Sec-Fetch-Mode"))
            || accept.contains("application/json")
            || accept.contains("text/event-stream");
    if (!script && rights.isTokenSet()) {
      // A script's page asks for the token itself.
      headers.add(CHALLENGE, "Basic realm=\"sailfish\", charset=\"UTF-8\"");
    }
    refuse(
        context,
        Response.Status.UNAUTHORIZED,
        rights.isKerberos()
            ? "The request has neither a Kerberos ticket nor the token: get a ticket (kinit) and let"
                + " the browser send it to this host, or log in with the token."
            : "The request does not bear the token: log in, or send Authorization: Bearer TOKEN.");
  }

  private static boolean isPage(RoutingContext context, String path) {
    HttpMethod method = context.request().method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (!reads || path.equals("/") || path.equals(INDEX)) {
      return false;
    }
    if (isBelow(path, DATA) || isBelow(path, FILES)) {
      return false;
    }
    String accept = String.valueOf(context.request().getHeader("Accept"));
    boolean plain = path.indexOf('.', path.lastIndexOf('/')) < 0;
    return plain || accept.toLowerCase(Locale.ROOT).contains("text/html");
  }

  /** Names of files do not change when their content does. */
  private static void keepFresh(RoutingContext context, String path) {
    if (!isBelow(path, List.of("/webjars"))) {
      context.addHeadersEndHandler(
          done -> context.response().headers().set("Cache-Control", "no-cache"));
    }
  }

  private void refuse(RoutingContext context, Response.Status status, String detail) {
    Problem problem =
        Problem.of(
            status.getReasonPhrase(), status.getStatusCode(), detail, context.normalizedPath());
    try {
      context
          .response()
          .setStatusCode(status.getStatusCode())
          .putHeader("Content-Type", Problem.TYPE)
          .end(json.writeValueAsString(problem));
    } catch (JsonProcessingException e) {
      context.fail(e);
    }
  }
}
