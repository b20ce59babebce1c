package dev.sailfish.ground.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class NotationTest {
  private static final int ROUNDS = 20_000;
  private static final List<String> SIZE_UNITS = List.of("", "k", "m", "g", "t");
  private static final List<String> TIME_UNITS = List.of("ms", "s", "min", "h", "d");
  private static final long[] TIMES = {1, 1000, 60 * 1000, 3600 * 1000, 24 * 3600 * 1000};

  /** Of all magnitudes, some past a long. */
  private static BigInteger figure(SplittableRandom random) {
    return new BigInteger(random.nextInt(1, 70), new Random(random.nextLong()));
  }

  private static long orWrong(BigInteger value) {
    return value.bitLength() < Long.SIZE ? value.longValue() : Notation.WRONG;
  }

  @Test
  void aSizeIsItsFigureTimesItsUnit(SplittableRandom random) {
    for (int i = 0; i < ROUNDS; i++) {
      BigInteger figure = figure(random);
      int unit = random.nextInt(SIZE_UNITS.size());
      String text = "0".repeat(random.nextInt(2)) + figure + SIZE_UNITS.get(unit);
      assertThat(Notation.size(text)).as(text).isEqualTo(orWrong(figure.shiftLeft(10 * unit)));
    }
  }

  @Test
  void aDurationIsItsFigureTimesItsUnit(SplittableRandom random) {
    for (int i = 0; i < ROUNDS; i++) {
      BigInteger figure = figure(random);
      int unit = random.nextInt(TIME_UNITS.size());
      BigInteger value = figure.multiply(BigInteger.valueOf(TIMES[unit]));
      String text = figure + TIME_UNITS.get(unit);
      assertThat(Notation.durationMs(text)).as(text).isEqualTo(orWrong(value));
    }
  }

  @Test
  void theLargestValuesAreTaken() {
    String most = Long.toString(Long.MAX_VALUE);
    assertThat(Notation.size(most)).isEqualTo(Long.MAX_VALUE);
    assertThat(Notation.number(most)).isEqualTo(Long.MAX_VALUE);
    assertThat(Notation.durationMs(most + "ms")).isEqualTo(Long.MAX_VALUE);
    assertThat(Notation.size("9223372036854775808")).isEqualTo(Notation.WRONG);
    assertThat(Notation.size("8388607t")).isEqualTo(8388607L << 40);
    assertThat(Notation.size("8388608t")).isEqualTo(Notation.WRONG);
  }

  @Test
  void onlyZeroIsADurationWithoutAUnit() {
    assertThat(Notation.durationMs("0")).isZero();
    for (String text :
        List.of("", "1", "00", "1000", "s", "ms", "1 s", "1S", "1m", "-1s", "1.5s")) {
      assertThat(Notation.durationMs(text)).as(text).isEqualTo(Notation.WRONG);
    }
  }

  @Test
  void nothingElseIsASizeOrANumber() {
    for (String text :
        List.of("", "k", "-1", "+1", "1K", "1kb", "1 k", " 1", "0x10", "1e3", "\u0661")) {
      assertThat(Notation.size(text)).as(text).isEqualTo(Notation.WRONG);
      assertThat(Notation.number(text)).as(text).isEqualTo(Notation.WRONG);
    }
    assertThat(Notation.number("1k")).isEqualTo(Notation.WRONG);
  }

  /** A reader that is slower and plainly right agrees on texts of the letters that matter. */
  @Test
  void everyTextIsReadAsItsRuleSays(SplittableRandom random) {
    String letters = "0159kmgtsinhd -";
    for (int i = 0; i < ROUNDS; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(6); j > 0; j--) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      assertThat(Notation.size(text.toString()) >= 0)
          .as("'%s'", text)
          .isEqualTo(text.toString().matches("[0-9]+[kmgt]?"));
      assertThat(Notation.durationMs(text.toString()) >= 0)
          .as("'%s'", text)
          .isEqualTo(text.toString().matches("0|[0-9]+(ms|s|min|h|d)"));
    }
  }
}
