package dev.sailfish.web.api;

import dev.sailfish.web.rights.Login;
import dev.sailfish.web.rights.Rights;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpServerRequest;

/**
 * The cookie of who has logged in: scripts cannot read it, other sites do not send it, and it goes
 * with the browser.
 */
final class LoginCookie {
  private static final String NAME = "sailfish-web";

  private LoginCookie() {}

  /** What a request has; null: nothing. */
  static String of(HttpServerRequest request) {
    Cookie cookie = request.getCookie(NAME);
    return cookie == null ? null : cookie.getValue();
  }

  /**
   * The value of the header {@code Set-Cookie} for a login.
   *
   * @param tls whether it is sent over TLS alone
   */
  static String set(Rights rights, Login login, boolean tls) {
    return header(rights.cookie(login), tls);
  }

  /** That which takes it back. */
  static String clear(boolean tls) {
    return header("", tls) + "; Max-Age=0";
  }

  private static String header(String value, boolean tls) {
    return NAME + "=" + value + "; Path=/; HttpOnly; SameSite=Strict" + (tls ? "; Secure" : "");
  }
}
