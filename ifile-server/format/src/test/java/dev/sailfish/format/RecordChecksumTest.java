package dev.sailfish.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RecordChecksumTest {
  private static final int RECORDS = 2000;

  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final RecordChecksum checksum = new RecordChecksum();

  private long of(String key, String value) {
    byte[] bytes = ("#" + key + value).getBytes(StandardCharsets.ISO_8859_1);
    return checksum.of(bytes, 1, key.length(), value.length());
  }

  /** Written down from the formula by hand, so that versions of the software agree. */
  private static long reference(String key, String value) {
    CRC32C crc = new CRC32C();
    crc.update((key + value).getBytes(StandardCharsets.ISO_8859_1));
    long x =
        crc.getValue() + key.length() * 4294967296L + (value.length() + 1) * -7046029254386353131L;
    x ^= x >>> 30;
    x *= -4658895280553007687L;
    x ^= x >>> 27;
    x *= -7723592293110705685L;
    return x ^ x >>> 31;
  }

  @Test
  void shouldFollowTheFormula() {
    assertThat(of("", "")).isEqualTo(reference("", ""));
    assertThat(of("key", "")).isEqualTo(reference("key", ""));
    assertThat(of("a", "123456789")).isEqualTo(reference("a", "123456789"));
  }

  @Test
  void shouldTellKeyFromValue() {
    assertThat(of("ab", "c")).isNotEqualTo(of("a", "bc"));
    assertThat(of("", "x")).isNotEqualTo(of("x", ""));
    assertThat(of("", "")).isNotZero();
  }

  @Test
  void shouldDifferForEveryFlippedBit() {
    byte[] record = new byte[40];
    random.nextBytes(record);
    Set<Long> seen = new HashSet<>();
    seen.add(checksum.of(record, 0, 10, 30));
    for (int bit = 0; bit < 8 * record.length; bit++) {
      record[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(seen.add(checksum.of(record, 0, 10, 30))).as("bit %d seed=%d", bit, seed).isTrue();
      record[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void sumsShouldTellLostDoubledAndSwappedRecords() {
    byte[][] records = new byte[RECORDS][24];
    long sum = 0;
    for (byte[] record : records) {
      random.nextBytes(record);
      sum += checksum.of(record, 0, 8, 16);
    }
    byte[] first = records[0];
    byte[] second = records[1];
    long before = checksum.of(first, 0, 8, 16) + checksum.of(second, 0, 8, 16);
    byte[] crossed = first.clone();
    System.arraycopy(second, 8, crossed, 8, 16);
    byte[] crossedBack = second.clone();
    System.arraycopy(first, 8, crossedBack, 8, 16);
    long swapped = checksum.of(crossed, 0, 8, 16) + checksum.of(crossedBack, 0, 8, 16);
    assertThat(sum - before + swapped).as("values swapped, seed=%d", seed).isNotEqualTo(sum);
    assertThat(sum - checksum.of(first, 0, 8, 16)).as("lost, seed=%d", seed).isNotEqualTo(sum);
    long instead = sum - checksum.of(first, 0, 8, 16) + checksum.of(second, 0, 8, 16);
    assertThat(instead).as("one doubled in place of another, seed=%d", seed).isNotEqualTo(sum);
  }
}
