package dev.sailfish.web.rights;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LoginSealTest {
  private static final Optional<byte[]> TOKEN =
      Optional.of("the-token-of-the-pages".getBytes(StandardCharsets.US_ASCII));
  private static final Login ANN = new Login("ann", 1_000);

  private final LoginSeal seal = LoginSeal.of(TOKEN);

  @Test
  void whatWasSealedIsOpenedUntilItExpires() {
    String value = seal.seal(ANN);
    assertThat(seal.open(value, 999)).contains(ANN);
    assertThat(seal.open(value, 1_000)).isEmpty();
    assertThat(seal.open(seal.seal(new Login("", 5)), 1)).contains(new Login("", 5));
    assertThat(value).doesNotContain("the-token").matches("[A-Za-z0-9._-]+");
  }

  @Test
  void anotherKeyMakesOthers() {
    LoginSeal other = LoginSeal.of(Optional.of("another token of pages".getBytes()));
    assertThat(seal.open(other.seal(ANN), 1)).isEmpty();
    assertThat(LoginSeal.of(TOKEN).open(seal.seal(ANN), 1)).contains(ANN);
    LoginSeal random = LoginSeal.of(Optional.empty());
    assertThat(random.open(random.seal(ANN), 1)).contains(ANN);
    assertThat(LoginSeal.of(Optional.empty()).open(random.seal(ANN), 1)).isEmpty();
  }

  @Test
  void whatWasChangedIsNotOpened() {
    String[] parts = seal.seal(ANN).split("\\.");
    String root = Base64.getUrlEncoder().withoutPadding().encodeToString("root".getBytes());
    String none = "0".repeat(64);
    for (String forged :
        List.of(
            root + "." + parts[1] + "." + parts[2],
            "." + parts[1] + "." + parts[2],
            parts[0] + ".9999999999999." + parts[2],
            parts[0] + "." + parts[1] + "." + none,
            parts[0] + "." + parts[1] + ".",
            parts[0] + "." + parts[1],
            parts[0] + "." + parts[1] + "." + parts[2] + ".x",
            parts[0] + "." + parts[1] + "." + parts[2] + "00",
            "",
            "..",
            "x.y.z",
            "x".repeat(5_000))) {
      assertThat(seal.open(forged, 1)).as(forged).isEmpty();
    }
    String value = seal.seal(ANN);
    for (int i = 0; i < value.length(); i++) {
      char other = value.charAt(i) == '1' ? '2' : '1';
      String changed = value.substring(0, i) + other + value.substring(i + 1);
      assertThat(seal.open(changed, 1)).as(changed).isEmpty();
    }
  }
}
