package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class LineTest {
  private final Line line = new Line(100);

  private String text() {
    return new String(line.bytes(), 0, line.length(), StandardCharsets.US_ASCII);
  }

  @Test
  void numbersHaveLeadingZerosAndTheirLastDigits() {
    line.decimal(42, 5).tab().decimal(123_456, 3).tab().hex(0xab, 4).tab().hex(-1, 3);
    assertThat(text()).isEqualTo("00042\t456\t00ab\tfff");
  }

  @Test
  void aLineIsUsedAgain() {
    line.put(Line.ascii("something long")).clear().put(Line.ascii("short"));
    assertThat(text()).isEqualTo("short");
  }

  @Test
  void timesAreOfOneDay(SplittableRandom random) {
    for (int i = 0; i < 100; i++) {
      line.clear().time(random.nextLong());
      assertThat(text()).matches("2012-06-14T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d");
    }
  }

  @Test
  void noTwoUsersHaveTheSameName() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      line.clear().user(i);
      assertThat(names.add(text())).isTrue();
    }
  }

  @Test
  void aTokenFillsTheLineToItsEnd(SplittableRandom random) {
    line.put(Line.ascii("id=")).fillTo(60, random.nextLong());
    assertThat(text()).matches("id=[0-9a-f]{57}");
  }

  @Test
  void hashesDependOnEachByteAndItsPlace(SplittableRandom random) {
    byte[] bytes = new byte[37];
    random.nextBytes(bytes);
    long hash = RecordHash.of(bytes, 0, bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 4;
      assertThat(RecordHash.of(bytes, 0, bytes.length)).as("byte " + i).isNotEqualTo(hash);
      bytes[i] ^= 4;
    }
    assertThat(RecordHash.of(bytes, 0, 36)).isNotEqualTo(hash);
    assertThat(RecordHash.of(1, 2)).isNotEqualTo(RecordHash.of(2, 1));
    assertThat(RecordHash.ofHead(bytes, 0, 37)).isEqualTo(RecordHash.of(bytes, 0, 16));
  }
}
