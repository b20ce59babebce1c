package dev.sailfish.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

@Seeded
class TestBytesTest {

  private static final int LENGTH = 100_000;

  @Test
  void sameSeedGivesSameBytes(Seed seed) {
    assertThat(TestBytes.random(seed.splittable(), LENGTH))
        .isEqualTo(TestBytes.random(seed.splittable(), LENGTH));
    assertThat(TestBytes.text(seed.splittable(), LENGTH))
        .isEqualTo(TestBytes.text(seed.splittable(), LENGTH));
    assertThat(TestBytes.compressible(seed.splittable(), LENGTH, 0.5))
        .isEqualTo(TestBytes.compressible(seed.splittable(), LENGTH, 0.5));
  }

  @Test
  void theMoreIsRepeatedTheSmallerItDeflates(SplittableRandom random) {
    int none = deflatedLength(TestBytes.compressible(random, LENGTH, 0));
    int half = deflatedLength(TestBytes.compressible(random, LENGTH, 0.5));
    int most = deflatedLength(TestBytes.compressible(random, LENGTH, 0.95));
    int all = deflatedLength(TestBytes.compressible(random, LENGTH, 1));
    assertThat(none).isGreaterThan(LENGTH);
    assertThat(half).isBetween(LENGTH / 3, LENGTH * 3 / 4);
    assertThat(most).isLessThan(LENGTH / 3);
    assertThat(all).isLessThan(LENGTH / 500);
  }

  @Test
  void textIsWordsWithSingleSpaces(SplittableRandom random) {
    String text = new String(TestBytes.text(random, LENGTH), StandardCharsets.US_ASCII);
    assertThat(text).hasSize(LENGTH);
    assertThat(text.stripTrailing().split(" ")).allMatch(word -> word.matches("[a-z]{1,12}"));
  }

  @Test
  void skewedLengthsReachBothEndsAndEveryMagnitude(SplittableRandom random) {
    int max = 1_000_000;
    boolean[] magnitudeSeen = new boolean[7];
    boolean zeroSeen = false;
    boolean maxSeen = false;
    for (int i = 0; i < 10_000; i++) {
      int length = TestBytes.skewedLength(random, max);
      assertThat(length).isBetween(0, max);
      zeroSeen |= length == 0;
      maxSeen |= length == max;
      magnitudeSeen[length == 0 ? 0 : (int) Math.log10(length)] = true;
    }
    assertThat(zeroSeen).isTrue();
    assertThat(maxSeen).isTrue();
    assertThat(magnitudeSeen).containsOnly(true);
    assertThat(TestBytes.skewedLength(random, 0)).isZero();
  }

  @Test
  void refusesAShareThatIsNone(SplittableRandom random) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TestBytes.compressible(random, 1, Double.NaN))
        .withMessageContaining("repeatedShare=NaN");
  }

  private static int deflatedLength(byte[] bytes) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(bytes);
      deflater.finish();
      byte[] out = new byte[bytes.length * 2];
      return deflater.deflate(out);
    } finally {
      deflater.end();
    }
  }
}
