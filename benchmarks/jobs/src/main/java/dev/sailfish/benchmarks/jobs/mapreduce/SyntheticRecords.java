package dev.sailfish.benchmarks.jobs.mapreduce;

import dev.sailfish.benchmarks.jobs.mapreduce.lines.RecordHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Generates the records of the partitioned sort: keys of 10 random printable ASCII bytes, values of
 * 90 bytes of which the first 48 are random and the others always the same, so that values compress
 * to about half. The same seed gives the same records on every machine.
 *
 * <p>Cheap on purpose (a few ns per record: xorshift64*, six random bits per byte), so that a
 * benchmark measures the shuffle. Not thread-safe.
 */
final class SyntheticRecords {
  static final int KEY_BYTES = 10;
  static final int VALUE_BYTES = 90;
  static final int RECORD_BYTES = KEY_BYTES + VALUE_BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long SIX_BITS_PER_BYTE = 0x3f3f_3f3f_3f3f_3f3fL;
  private static final long BLANK_IN_EACH_BYTE = 0x2020_2020_2020_2020L;
  private static final int RANDOM_VALUE_BYTES = 48;
  private static final long MULTIPLIER = 0x2545_F491_4F6C_DD1DL;
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private long state;

  SyntheticRecords(long seed) {
    long mixed = RecordHash.mix(seed + GOLDEN_GAMMA);
    state = mixed == 0 ? GOLDEN_GAMMA : mixed; // xorshift never leaves 0
  }

  /** A value whose constant part is filled in. */
  static byte[] newValue() {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) 'v');
    return value;
  }

  /**
   * Overwrites the key and the random part of the value.
   *
   * @param key of {@link #KEY_BYTES}
   * @param value from {@link #newValue}
   */
  void next(byte[] key, byte[] value) {
    LONGS.set(key, 0, printable(random()));
    SHORTS.set(key, Long.BYTES, (short) printable(random()));
    for (int i = 0; i < RANDOM_VALUE_BYTES; i += Long.BYTES) {
      LONGS.set(value, i, printable(random()));
    }
  }

  private static long printable(long bits) {
    return (bits & SIX_BITS_PER_BYTE) + BLANK_IN_EACH_BYTE;
  }

  private long random() {
    long x = state;
    x ^= x >>> 12;
    x ^= x << 25;
    x ^= x >>> 27;
    state = x;
    return x * MULTIPLIER;
  }

  /** A 64-bit hash of one record; the sum over records does not depend on their order. */
  static long hash(byte[] key, byte[] value) {
    long even = RecordHash.mix((long) LONGS.get(key, 0) + GOLDEN_GAMMA);
    long odd = (short) SHORTS.get(key, Long.BYTES) + GOLDEN_GAMMA;
    int i = 0;
    // Two chains of multiplications side by side, because each waits for its last result.
    for (; i + 2 * Long.BYTES <= VALUE_BYTES; i += 2 * Long.BYTES) {
      even = (even ^ (long) LONGS.get(value, i)) * MULTIPLIER;
      odd = (odd ^ (long) LONGS.get(value, i + Long.BYTES)) * GOLDEN_GAMMA;
      even ^= even >>> 29;
      odd ^= odd >>> 31;
    }
    even = (even ^ (long) LONGS.get(value, i)) * MULTIPLIER;
    odd = (odd ^ (short) SHORTS.get(value, i + Long.BYTES)) * MULTIPLIER;
    return RecordHash.mix(even ^ RecordHash.mix(odd));
  }
}
