package dev.sailfish.blockstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.file.SegmentFileName.Kind;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentFileNameTest {
  @ParameterizedTest
  @CsvSource({
    "chunk-1.x_Y@a1,          OPEN",
    "...@a,                   OPEN",
    "a@b+seal-5-none,         SEALED",
    "a@b+shared-5-0000beef,   SHARED",
    "a@b+copy-5-none,         COPY",
    "+lock,                   LOCK",
    "+free-12,                FREE",
    "a@b+seal-5,              FOREIGN",
    "a@b+seal-5-xyz,          FOREIGN",
    "a@b+other-5-none,        FOREIGN",
    "..@b+seal-5-none,        FOREIGN",
    "a@,                      FOREIGN",
    "a@B,                     FOREIGN",
    "a@b@c,                   FOREIGN",
    "a b,                     FOREIGN",
    "..,                      FOREIGN"
  })
  void shouldTellKinds(String fileName, Kind kind) {
    assertThat(SegmentFileName.parse(fileName).kind()).isEqualTo(kind);
  }

  @Test
  void shouldParseWhatItWrites() {
    SegmentFileName open = SegmentFileName.open("worker", "a-1");
    assertThat(SegmentFileName.parse(open.fileName())).isEqualTo(open);
    assertThat(SegmentFileName.kindOf(open.fileName())).isEqualTo(Kind.OPEN);
    assertThat(SegmentFileName.kindOf(SegmentFileName.free(3))).isEqualTo(Kind.FREE);
    for (OptionalInt crc : new OptionalInt[] {OptionalInt.empty(), OptionalInt.of(-2)}) {
      SegmentFileName sealed = open.sealed(Integer.MAX_VALUE, crc);
      for (Kind kind : new Kind[] {Kind.SEALED, Kind.SHARED, Kind.COPY}) {
        SegmentFileName name = sealed.as(kind);
        assertThat(SegmentFileName.parse(name.fileName())).isEqualTo(name);
        assertThat(SegmentFileName.kindOf(name.fileName())).isEqualTo(kind);
      }
    }
  }

  /** As they were written before a file's name said whose it is. */
  @Test
  void shouldGiveOldFilesToTheChunkserver() {
    assertThat(SegmentFileName.parse("job_1-2a-7"))
        .isEqualTo(SegmentFileName.open("chunkserver", "job_1-2a-7"));
    assertThat(SegmentFileName.parse("job_1-2a-8.sorted+seal-5000-none"))
        .isEqualTo(
            SegmentFileName.open("chunkserver", "job_1-2a-8.sorted")
                .sealed(5000, OptionalInt.empty()));
    assertThat(SegmentFileName.parse("seal-1+seal-1-fffffffe").checksum()).hasValue(-2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "a+b", "a@b", "ä", "a\n"})
  void shouldRefuseOtherSegmentNames(String name) {
    assertThatThrownBy(() -> SegmentFileName.requireSegmentName(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name=" + name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A", "a-b", "seventeenletters1"})
  void shouldRefuseOtherOwnerNames(String owner) {
    assertThatThrownBy(() -> SegmentFileName.requireOwnerName(owner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("owner=" + owner);
  }

  @Test
  void shouldLimitTheLength() {
    SegmentFileName.requireSegmentName("n".repeat(120));
    assertThatThrownBy(() -> SegmentFileName.requireSegmentName("n".repeat(121)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
