package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class SyntheticRecordsTest {
  private final byte[] key = new byte[SyntheticRecords.KEY_BYTES];
  private final byte[] value = SyntheticRecords.newValue();

  @Test
  void keysAndValuesArePrintableAscii(Seed seed) {
    SyntheticRecords records = new SyntheticRecords(seed.value());
    for (int i = 0; i < 1_000; i++) {
      records.next(key, value);
      assertPrintable(key);
      assertPrintable(value);
    }
  }

  private static void assertPrintable(byte[] bytes) {
    for (byte b : bytes) {
      assertThat(b).isBetween((byte) 0x20, (byte) 0x7e);
    }
  }

  @Test
  void theSeedDeterminesTheRecords(Seed seed) {
    assertThat(hashSum(seed.value())).isEqualTo(hashSum(seed.value()));
    assertThat(hashSum(seed.value())).isNotEqualTo(hashSum(seed.value() + 1));
  }

  private long hashSum(long seed) {
    SyntheticRecords records = new SyntheticRecords(seed);
    long sum = 0;
    for (int i = 0; i < 1_000; i++) {
      records.next(key, value);
      sum += SyntheticRecords.hash(key, value);
    }
    return sum;
  }

  @Test
  void keysDoNotRepeat(Seed seed) {
    SyntheticRecords records = new SyntheticRecords(seed.value());
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      records.next(key, value);
      keys.add(new String(key, java.nio.charset.StandardCharsets.US_ASCII));
    }
    assertThat(keys).hasSize(10_000);
  }

  @Test
  void theHashDependsOnEachBit(Seed seed, SplittableRandom random) {
    new SyntheticRecords(seed.value()).next(key, value);
    long hash = SyntheticRecords.hash(key, value);
    for (byte[] bytes : new byte[][] {key, value}) {
      for (int i = 0; i < bytes.length; i++) {
        byte flipped = (byte) (1 << random.nextInt(Byte.SIZE));
        bytes[i] ^= flipped;
        assertThat(SyntheticRecords.hash(key, value)).as("byte " + i).isNotEqualTo(hash);
        bytes[i] ^= flipped;
      }
    }
  }
}
