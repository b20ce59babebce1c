package dev.sailfish.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentFileNameTest {
  @ParameterizedTest
  @CsvSource({
    "chunk-1.x_Y, OPEN",
    "...,         OPEN",
    "+lock,       LOCK",
    "+free-12,    FREE",
    "a+seal-5,    FOREIGN",
    "a+seal-5-xyz, FOREIGN",
    "..+seal-5-none, FOREIGN",
    "a b,         FOREIGN",
    "..,          FOREIGN"
  })
  void shouldTellKinds(String fileName, SegmentFileName.Kind kind) {
    assertThat(SegmentFileName.parse(fileName).kind()).isEqualTo(kind);
  }

  @Test
  void shouldParseTheSealsItWrites() {
    for (OptionalInt crc : new OptionalInt[] {OptionalInt.empty(), OptionalInt.of(-2)}) {
      String fileName = SegmentFileName.sealed("a-1", Segment.MAX_CAPACITY, crc);
      assertThat(SegmentFileName.parse(fileName))
          .isEqualTo(
              new SegmentFileName(SegmentFileName.Kind.SEALED, "a-1", Segment.MAX_CAPACITY, crc));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "a+b", "ä", "a\n"})
  void shouldRefuseOtherSegmentNames(String name) {
    assertThatThrownBy(() -> SegmentFileName.requireSegmentName(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name=" + name);
  }

  @Test
  void shouldLimitTheLength() {
    SegmentFileName.requireSegmentName("n".repeat(120));
    assertThatThrownBy(() -> SegmentFileName.requireSegmentName("n".repeat(121)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
