package dev.sailfish.ground.server.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * What a request must bear to see the pages that are not for everybody: {@code Authorization:
 * Bearer TOKEN}, as monitoring sends it, or {@code Basic} with any user and the token as password,
 * as browsers do. Immutable.
 */
final class WebToken {
  /** What a refusal asks for, each in a header {@code WWW-Authenticate}. */
  static final List<String> CHALLENGES =
      List.of("Bearer realm=\"sailfish\"", "Basic realm=\"sailfish\", charset=\"UTF-8\"");

  private final byte[] token;

  WebToken(byte[] token) {
    this.token = token.clone();
  }

  /**
   * Whether a request bears the token.
   *
   * @param authorization value of that header, one char per byte; empty: there is none
   */
  boolean isIn(String authorization) {
    String[] words = authorization.strip().split("\\s+", 2);
    return words.length == 2
        && switch (words[0].toLowerCase(Locale.ROOT)) {
          case "bearer" -> isToken(words[1]);
          case "basic" -> isPassword(words[1]);
          default -> false;
        };
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

  /** Takes as long for a token that is nearly right as for one that is not. */
  private boolean isToken(String given) {
    return MessageDigest.isEqual(token, given.getBytes(StandardCharsets.ISO_8859_1));
  }
}
