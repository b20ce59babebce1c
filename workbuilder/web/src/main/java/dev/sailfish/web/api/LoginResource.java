package dev.sailfish.web.api;

import dev.sailfish.web.WebServices;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.NewCookie;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** For who sees the pages in a browser, which cannot send a token by itself. */
@Path("/")
@Tag(name = "login")
public class LoginResource {
  private final Access access;
  private final boolean tls;

  /**
   * What is sent to log in.
   *
   * @param token as in the file of the settings
   */
  public record Login(String token) {}

  /** With the rights that are checked. */
  @Inject
  public LoginResource(Access access, WebServices services) {
    this.access = access;
    this.tls = services.isTls();
  }

  /** Gives a cookie for the token. */
  @POST
  @Path("login")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(summary = "Gives a cookie for the token")
  public Response login(Login login) {
    boolean good = login != null && login.token() != null && access.isToken(login.token().strip());
    if (!access.isOpen() && !good) {
      throw new ProblemException(
          Response.Status.UNAUTHORIZED,
          "This is not the token: it is in the file that sailfish.web.token.file names.");
    }
    return answer(access.isOpen() ? "open" : access.cookie(), NewCookie.DEFAULT_MAX_AGE);
  }

  /** Takes the cookie back. */
  @POST
  @Path("logout")
  @Operation(summary = "Takes the cookie back")
  public Response logout() {
    return answer("", 0);
  }

  private Response answer(String value, int maxAge) {
    NewCookie cookie =
        new NewCookie.Builder(Access.COOKIE)
            .value(value)
            .path("/")
            .maxAge(maxAge)
            .httpOnly(true)
            .secure(tls)
            .sameSite(NewCookie.SameSite.STRICT)
            .build();
    return Response.noContent().cookie(cookie).build();
  }
}
