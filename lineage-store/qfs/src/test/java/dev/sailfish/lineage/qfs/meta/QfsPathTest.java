package dev.sailfish.lineage.qfs.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QfsPathTest {
  @Test
  void hasAParentAndAName() {
    QfsPath path = new QfsPath("/a/b c/größe:1");
    assertThat(path.name()).isEqualTo("größe:1");
    assertThat(path.parent()).isEqualTo(new QfsPath("/a/b c"));
    assertThat(new QfsPath("/a").parent().isRoot()).isTrue();
    assertThat(new QfsPath("/").name()).isEmpty();
    assertThat(new QfsPath("/").parent().isRoot()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "/a/", "//", "/a//b", "/.", "/a/../b", "/a ", "/ a", "/a\nb", "/a\u007f"})
  void whatQfsCannotCarryIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new QfsPath(text))
        .withMessageContaining("path '" + text + "' ");
  }

  @Test
  void namesHaveALimitInBytes() {
    assertThat(new QfsPath("/" + "ö".repeat(128)).name()).hasSize(128);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new QfsPath("/" + "ö".repeat(129)))
        .withMessageContaining("more than 256 bytes");
  }
}
