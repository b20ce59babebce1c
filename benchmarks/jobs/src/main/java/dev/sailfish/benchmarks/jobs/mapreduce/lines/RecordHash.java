package dev.sailfish.benchmarks.jobs.mapreduce.lines;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * 64-bit hashes of keys, values and records, whose sums do not depend on the order of the records.
 * The same on every machine; cheap, and no protection against anybody.
 */
public final class RecordHash {
  /** How many bytes at the beginning of a value its group is checked by. */
  public static final int HEAD_BYTES = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MULTIPLIER = 0x2545_F491_4F6C_DD1DL;

  private RecordHash() {}

  /** Of {@code length} bytes. */
  public static long of(byte[] bytes, int offset, int length) {
    long hash = length;
    int end = offset + length;
    int i = offset;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      hash = (hash ^ (long) LONGS.get(bytes, i)) * MULTIPLIER;
      hash ^= hash >>> 29;
    }
    for (; i < end; i++) {
      hash = (hash ^ bytes[i]) * MULTIPLIER;
    }
    return mix(hash);
  }

  /** Of the first bytes of a value, at most {@link #HEAD_BYTES}. */
  public static long ofHead(byte[] bytes, int offset, int length) {
    return of(bytes, offset, Math.min(length, HEAD_BYTES));
  }

  /** Of two hashes in this order, as of a key and a value. */
  public static long of(long first, long second) {
    return mix(first * MULTIPLIER + second);
  }

  /** Each bit of the outcome depends on each bit of {@code x}; no two have the same outcome. */
  public static long mix(long x) {
    long mixed = (x ^ (x >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** A permutation of all numbers of 32 bits without a visible order. */
  static int scramble(int number) {
    int mixed = (number ^ (number >>> 16)) * 0x85EB_CA6B;
    mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2_AE35;
    return mixed ^ (mixed >>> 16);
  }
}
