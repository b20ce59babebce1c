package dev.sailfish.transport;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/**
 * What a request must bear to see the pages that are not for everybody: {@code Authorization:
 * Bearer TOKEN}, as monitoring sends it, or {@code Basic} with any user and the token as password,
 * as browsers do. Immutable.
 */
final class WebToken {
  /** What a refusal asks for. */
  static final String CHALLENGE =
      "WWW-Authenticate: Bearer realm=\"sailfish\"\r\n"
          + "WWW-Authenticate: Basic realm=\"sailfish\", charset=\"UTF-8\"";

  private static final String HEADER = "authorization:";
  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  private final byte[] token;

  WebToken(byte[] token) {
    this.token = token.clone();
  }

  /**
   * Whether a request bears the token; of several such headers the first one counts.
   *
   * @param head request line and headers, one char per byte
   */
  boolean isIn(CharSequence head) {
    return head.toString()
        .lines()
        .skip(1)
        .filter(line -> line.regionMatches(true, 0, HEADER, 0, HEADER.length()))
        .findFirst()
        .map(line -> line.substring(HEADER.length()).strip())
        .filter(this::isTokenOf)
        .isPresent();
  }

  private boolean isTokenOf(String credentials) {
    if (credentials.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return isToken(credentials.substring(BEARER.length()).strip());
    }
    return credentials.regionMatches(true, 0, BASIC, 0, BASIC.length())
        && isPassword(credentials.substring(BASIC.length()).strip());
  }

  private boolean isPassword(String encoded) {
    byte[] decoded;
    try {
      decoded = Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return false; // no base64, so no password either
    }
    String pair = new String(decoded, StandardCharsets.ISO_8859_1);
    return isToken(pair.substring(pair.indexOf(':') + 1));
  }

  /**
   * Takes as long for a token that is nearly right as for one that is not.
   *
   * @param given one char per byte
   */
  private boolean isToken(String given) {
    return MessageDigest.isEqual(token, given.getBytes(StandardCharsets.ISO_8859_1));
  }
}
