package dev.sailfish.ground.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserNamesTest {
  private final UserNames names = new UserNames(Set.of("EXAMPLE.COM", "OTHER.COM"));

  @Test
  void theFirstPartShouldBeTheUser() throws IOException {
    assertThat(names.of("alice@EXAMPLE.COM")).isEqualTo("alice");
    assertThat(names.of("oozie/host.example.com@OTHER.COM")).isEqualTo("oozie");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alice@STRANGE.COM",
        "alice@example.com",
        "alice",
        "@EXAMPLE.COM",
        "/host@EXAMPLE.COM",
        "",
        "alice@EXAMPLE.COM@STRANGE.COM",
        "al ice@EXAMPLE.COM",
        "al\u0000ice@EXAMPLE.COM",
        "alice\\@STRANGE.COM@EXAMPLE.COM"
      })
  void othersShouldBeRefused(String principal) {
    assertThatIOException().isThrownBy(() -> names.of(principal));
  }
}
