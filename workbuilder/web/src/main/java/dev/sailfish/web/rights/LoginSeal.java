package dev.sailfish.web.rights;

import dev.sailfish.ground.wire.secret.HmacSha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Makes values of cookies that nobody else can make: {@code user.expiry.code}, the user in base64,
 * the expiry in milliseconds since 1970, the code an HMAC-SHA256 of both. Nothing is kept, so a
 * value counts until it expires, or until the key changes. Thread-safe.
 */
final class LoginSeal {
  private static final byte[] CONTEXT = "sailfish-web-login\n".getBytes(StandardCharsets.US_ASCII);
  private static final int PARTS = 3;
  private static final int KEY_BYTES = 32;
  private static final int MOST_CHARACTERS = 1_000;

  private final byte[] key;

  private LoginSeal(byte[] key) {
    this.key = key;
  }

  /**
   * With a key that is made of the token, so that a new token ends all logins; without a token one
   * that goes with the process.
   */
  static LoginSeal of(Optional<byte[]> token) {
    byte[] key =
        token
            .map(bytes -> HmacSha256.of(bytes, CONTEXT))
            .orElseGet(
                () -> {
                  byte[] random = new byte[KEY_BYTES];
                  new SecureRandom().nextBytes(random);
                  return random;
                });
    return new LoginSeal(key);
  }

  /** The value for a login. */
  String seal(Login login) {
    byte[] name = login.user().getBytes(StandardCharsets.UTF_8);
    String text =
        Base64.getUrlEncoder().withoutPadding().encodeToString(name) + "." + login.expiresMs();
    return text + "." + HexFormat.of().formatHex(code(text));
  }

  private byte[] code(String text) {
    return HmacSha256.of(key, CONTEXT, text.getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * The login of a value.
   *
   * @param value as a browser has sent it
   * @return empty when it was made by somebody else, was changed, or has expired
   */
  Optional<Login> open(String value, long nowMs) {
    String[] parts = value.split("\\.", -1);
    if (parts.length != PARTS || value.length() > MOST_CHARACTERS) {
      return Optional.empty();
    }
    try {
      byte[] given = HexFormat.of().parseHex(parts[2]);
      if (!HmacSha256.same(code(parts[0] + "." + parts[1]), given)) {
        return Optional.empty();
      }
      String user = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8);
      Login login = new Login(user, Long.parseLong(parts[1]));
      return login.expiresMs() > nowMs ? Optional.of(login) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // no value of ours
    }
  }
}
