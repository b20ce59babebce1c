package dev.sailfish.web.rights;

/**
 * What a request has proved. Immutable.
 *
 * @param user the short name of a user; empty: the bearer of the token, or anyone where nobody is
 *     asked who he is
 * @param expiresMs until when it counts, in milliseconds since 1970
 */
public record Login(String user, long expiresMs) {
  /** Nobody is asked who he is, or each request bears the token itself. */
  static final Login ALWAYS = new Login("", Long.MAX_VALUE);

  /** Whether a user has proved who he is; else it is one who sees everything. */
  public boolean isUser() {
    return !user.isEmpty();
  }
}
