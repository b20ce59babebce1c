package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorePathTest {

  @Test
  void hasNamesAndBeginnings() throws NamespaceException {
    StorePath path = StorePath.of("/user/alice/日本");
    assertThat(path.depth()).isEqualTo(3);
    assertThat(path.name(0)).asString().isEqualTo("user");
    assertThat(path.last()).hasSize(6);
    assertThat(path.beginning(0)).isEqualTo("/");
    assertThat(path.beginning(2)).isEqualTo("/user/alice");
    assertThat(path.beginning(3)).isEqualTo("/user/alice/日本");
    assertThat(StorePath.of("/").depth()).isZero();
    assertThat(StorePath.of("/").beginning(0)).isEqualTo("/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "a", "a/b", "//", "/a//b", "/a/", "/.", "/..", "/a/../b", "/a/./b", "/a\0b", "/\uD83D"
      })
  void refusesWhatIsNoPath(String text) {
    assertInvalid(text);
  }

  @Test
  void refusesWhatIsTooLong() throws NamespaceException {
    assertThat(StorePath.of("/" + "n".repeat(StorePath.LONGEST_NAME)).depth()).isOne();
    assertInvalid("/" + "n".repeat(StorePath.LONGEST_NAME + 1));
    assertInvalid("/" + "é".repeat(StorePath.LONGEST_NAME / 2 + 1));
    assertInvalid("/" + "n".repeat(10_000));
    assertInvalid("/n".repeat(StorePath.LONGEST_PATH / 2 + 1));
  }

  private static void assertInvalid(String text) {
    assertThatThrownBy(() -> StorePath.of(text))
        .isInstanceOfSatisfying(
            NamespaceException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.INVALID);
              assertThat(e.getMessage()).hasSizeLessThan(200);
            });
  }
}
