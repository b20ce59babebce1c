package dev.sailfish.lineage.understore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.understore.UnderFile.Ownership;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Seeded
class UnderPathTest {
  private static final Ownership ME = new Ownership("me", "us", 0644);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/..",
        "../a",
        "a/./b",
        "a\0b",
        "\ud800",
        "a/\udc00/b"
      })
  void shouldRefuseWhatLeadsElsewhere(String text) {
    assertThatThrownBy(() -> UnderPath.of(text))
        .isInstanceOfSatisfying(
            UnderStoreException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(Reason.INVALID));
  }

  @Test
  void shouldRefuseTheNamesOfCopiesBeingWritten() {
    String name = new TemporaryName("a", 1, 2).fileName();
    assertThat(name).isEqualTo(".a.0000000000000001.0000000000000002.copying");
    assertThatThrownBy(() -> UnderPath.of("d/" + name))
        .hasMessageContaining("kept for copies being written");
    assertThatThrownBy(() -> UnderPath.ROOT.child(name))
        .hasMessageContaining("kept for copies being written");
  }

  @Test
  void shouldGoUpAndDown() throws Exception {
    UnderPath path = UnderPath.of("a b/..c/ü#?%20");
    assertThat(path.name()).isEqualTo("ü#?%20");
    assertThat(path.parent()).isEqualTo(UnderPath.of("a b/..c"));
    assertThat(path.parent().child("ü#?%20")).isEqualTo(path).hasSameHashCodeAs(path);
    assertThat(path.parent().parent().parent()).isEqualTo(UnderPath.ROOT);
    assertThat(UnderPath.ROOT.parent().isRoot()).isTrue();
    assertThat(UnderPath.of("")).isEqualTo(UnderPath.ROOT);
    assertThatThrownBy(() -> path.child("a/b")).hasMessageContaining("slash");
  }

  @Test
  void shouldFindATemporaryNameAgain(SplittableRandom random) {
    for (int i = 0; i < 1000; i++) {
      StringBuilder name = new StringBuilder();
      int length = random.nextInt(1, 256);
      while (name.toString().getBytes(StandardCharsets.UTF_8).length < length) {
        name.appendCodePoint(random.nextInt(4) == 0 ? 0x1F41F : random.nextInt('!', 'z'));
      }
      TemporaryName temporary =
          new TemporaryName(name.toString(), random.nextLong(), random.nextLong());
      String text = temporary.fileName();
      assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(255);
      assertThat(TemporaryName.parse(text)).contains(temporary);
      assertThat(name.toString()).startsWith(temporary.name());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        ".a.copying",
        ".a.0000000000000001.copying",
        "a.0000000000000001.0000000000000002.copying",
        ".a.000000000000000G.0000000000000002.copying",
        "..0000000000000001.0000000000000002.copying",
        ".a.0000000000000001.0000000000000002.copying.crc"
      })
  void shouldLetOtherNamesPass(String name) {
    assertThat(TemporaryName.parse(name)).isEmpty();
  }

  @Test
  void shouldSayWhatHasChanged() {
    UnderFile file = new UnderFile(UnderPath.ROOT, false, 5, 100, "t", ME);
    UnderPath at = UnderPath.ROOT;
    assertThat(file.differenceFrom(file)).isEmpty();
    assertThat(new UnderFile(at, false, 5, 200, "t", ME).differenceFrom(file)).isEmpty();
    assertThat(new UnderFile(at, false, 5, 100, "u", ME).differenceFrom(file))
        .hasValueSatisfying(text -> assertThat(text).contains("tag=t", "tag=u"));
    assertThat(new UnderFile(at, false, 6, 100, "t", ME).differenceFrom(file))
        .hasValueSatisfying(text -> assertThat(text).contains("length=5", "length=6"));
    assertThat(new UnderFile(at, false, 5, 200, "", ME).differenceFrom(file))
        .hasValueSatisfying(text -> assertThat(text).contains("modifiedMs=100"));
    assertThat(new UnderFile(at, false, 5, 100, "", ME).differenceFrom(file)).isEmpty();
    UnderFile directory = new UnderFile(at, true, 0, 100, "", ME);
    assertThat(directory.differenceFrom(file)).isEqualTo(Optional.of("it is a directory now"));
    assertThat(new UnderFile(at, true, 0, 300, "", ME).differenceFrom(directory)).isEmpty();
  }
}
