package dev.sailfish.web.api;

import dev.sailfish.ground.wire.secret.HmacSha256;
import dev.sailfish.web.WebServices;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * Who may see what: who bears the token may see everything. It is borne as {@code Bearer}, as a
 * password of {@code Basic}, or by a cookie that is made of it. Thread-safe.
 */
@Singleton
public class Access {
  /** Name of the cookie. */
  public static final String COOKIE = "sailfish-web";

  private static final byte[] CONTEXT = "sailfish-web-login\n".getBytes(StandardCharsets.US_ASCII);

  private final Optional<byte[]> token;
  private final String cookie;

  /** With the token of the settings; without one anyone may see everything. */
  @Inject
  public Access(WebServices services) {
    token = services.token();
    cookie = token.map(key -> HexFormat.of().formatHex(HmacSha256.of(key, CONTEXT))).orElse("");
  }

  /** Whether anyone may see everything. */
  public boolean isOpen() {
    return token.isEmpty();
  }

  /** The value of the cookie of who has proved to have the token. */
  public String cookie() {
    return cookie;
  }

  /** Whether a text is the token; takes as long for one that is nearly right. */
  public boolean isToken(String given) {
    return token.isPresent()
        && MessageDigest.isEqual(token.get(), given.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether a cookie is that of who has the token; null: there is none. */
  public boolean isCookie(String given) {
    return given != null
        && token.isPresent()
        && MessageDigest.isEqual(
            cookie.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether the value of a header {@code Authorization} bears the token; null: there is none. */
  public boolean isBorne(String authorization) {
    String[] words = authorization == null ? new String[0] : authorization.strip().split("\\s+", 2);
    return words.length == 2
        && switch (words[0].toLowerCase(Locale.ROOT)) {
          case "bearer" -> isToken(words[1]);
          case "basic" -> isPassword(words[1]);
          default -> false;
        };
  }

  private boolean isPassword(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return isToken(pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      return false; // no base64, so no password either
    }
  }
}
