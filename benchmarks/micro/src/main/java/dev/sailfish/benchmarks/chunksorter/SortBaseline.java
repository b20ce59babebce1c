package dev.sailfish.benchmarks.chunksorter;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/**
 * What the JDK's own sort needs for the (key prefix, ordinal) pairs of one 128 MiB chunk of
 * 100-byte records: a 42-bit prefix and a 21-bit ordinal in a {@code long}. The chunksorter's radix
 * sort must beat it. A score is the time for one chunk, with the pairs copied in first ({@link
 * #copyOnly}).
 */
public class SortBaseline extends SortOfOneChunk {

  private static final int RECORDS = 128 * 1024 * 1024 / 100;
  private static final int ORDINAL_BITS = 21;

  private final long[] unsorted = new long[RECORDS];
  private final long[] pairs = new long[RECORDS];

  /** Draws random prefixes. */
  @Setup(Level.Trial)
  public void prepare() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < RECORDS; i++) {
      unsorted[i] = (random.nextLong() >>> (ORDINAL_BITS + 1)) << ORDINAL_BITS | i;
    }
  }

  /** The floor: copying the pairs. */
  @Benchmark
  public long[] copyOnly() {
    System.arraycopy(unsorted, 0, pairs, 0, RECORDS);
    return pairs;
  }

  /** {@link Arrays#sort(long[])}. */
  @Benchmark
  public long[] arraysSort() {
    System.arraycopy(unsorted, 0, pairs, 0, RECORDS);
    Arrays.sort(pairs);
    return pairs;
  }
}
