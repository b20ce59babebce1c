package dev.sailfish.benchmarks.iappender;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.BlockCombiner;
import dev.sailfish.iappender.CombinedOutput;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.iappender.SortedRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Words and counts into partition buffers, which are sorted and combined when they are full, from
 * there as blocks over loopback to a server that drops them. A score is the time per record; {@link
 * #countOnly} is the floor: hashing each word and counting it in a table without collisions.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CombinerBenchmark extends AverageTimeBenchmark {
  private static final int RECORDS = 100_000;
  private static final int PARTITIONS = 4;
  private static final byte[] ONE = {0, 0, 0, 1};

  /** How many distinct words there are. */
  @Param({"4", "16", "100000"})
  public int words;

  private byte[][] keys;
  private int[] drawn;
  private long[] counts;
  private DiscardingServer server;
  private Iappender appender;

  /** Makes the words and opens an iappender. */
  @Setup
  public void prepare() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    keys = new byte[words][];
    for (int i = 0; i < words; i++) {
      keys[i] = ("the-word-" + i).getBytes(StandardCharsets.US_ASCII);
    }
    drawn = random.ints(RECORDS, 0, words).toArray();
    counts = new long[words];
    server = new DiscardingServer();
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    IfileSpec spec = new IfileSpec("job_1_1", PARTITIONS, order, CodecId.NONE);
    appender = Iappender.open(server.config(), spec, 0, 0, new Summing());
  }

  /** Closes both sides. */
  @TearDown
  public void end() throws IOException {
    appender.close();
    server.close();
  }

  /** Adds up the counts of equal keys, which come one after the other. */
  private static final class Summing implements BlockCombiner {
    private byte[] key = new byte[32];
    private int length;
    private final ByteBuffer sum = ByteBuffer.allocate(Integer.BYTES);

    @Override
    public void combine(SortedRecords sorted, CombinedOutput combined) throws IOException {
      int total = 0;
      length = -1;
      while (sorted.next()) {
        int from = sorted.keyOffset();
        int to = from + sorted.keyLength();
        if (length < 0 || !Arrays.equals(key, 0, length, sorted.keyBuffer(), from, to)) {
          put(combined, total);
          total = 0;
          length = to - from;
          System.arraycopy(sorted.keyBuffer(), from, key, 0, length);
        }
        total += ByteBuffer.wrap(sorted.valueBuffer()).getInt(sorted.valueOffset());
      }
      put(combined, total);
    }

    private void put(CombinedOutput combined, int total) throws IOException {
      if (length >= 0) {
        combined.append(key, 0, length, sum.putInt(0, total).array(), 0, Integer.BYTES);
      }
    }
  }

  /** The floor: a hash of the word, and its count. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long[] countOnly() {
    for (int word : drawn) {
      counts[word] += Arrays.hashCode(keys[word]) | 1;
    }
    return counts;
  }

  /** Appends and combines. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long combine() throws IOException {
    for (int word : drawn) {
      byte[] key = keys[word];
      appender.append(word % PARTITIONS, key, 0, key.length, ONE, 0, ONE.length);
    }
    return appender.combineInput();
  }
}
