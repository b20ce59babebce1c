package dev.sailfish.benchmarks.workbuilder;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.workbuilder.plan.ChunkIndex;
import dev.sailfish.workbuilder.plan.PartitionData;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePlanner;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The reduce work of a job of {@value #PARTITIONS} I-files with {@value #CHUNKS} sorted chunks
 * each, of random keys of ten bytes, once summaries of the indexes are there. A score is the time
 * for the whole job. {@link #sortKeys} puts the same keys in order with the JDK's sort, partition
 * by partition.
 */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx2g")
public class PlanBenchmark extends AverageTimeBenchmark {
  private static final int PARTITIONS = 512;
  private static final int CHUNKS = 512;
  private static final int KEY_LENGTH = 10;
  private static final long CHUNK_BYTES = 128L << 20;
  private static final GroupOrder ORDER =
      new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null);

  /** How many entries the summary of a chunk has. */
  @Param({"1", "8"})
  public int entries;

  private final List<PartitionData> partitions = new ArrayList<>();
  private final List<byte[][]> keys = new ArrayList<>();

  /** Draws the keys. */
  @Setup(Level.Trial)
  public void prepare() {
    SplittableRandom random = new SplittableRandom(1);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<ChunkIndex> chunks = new ArrayList<>();
      List<byte[]> partitionKeys = new ArrayList<>();
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        List<byte[]> run = run(random);
        partitionKeys.addAll(run);
        chunks.add(
            new ChunkIndex(
                (long) partition * CHUNKS + chunk,
                run.stream()
                    .map(key -> new IndexSummary.Entry(0, key, 1 << 20, CHUNK_BYTES / entries))
                    .toList()));
      }
      partitions.add(
          new PartitionData((long) CHUNKS * entries << 20, CHUNKS * CHUNK_BYTES, chunks));
      keys.add(partitionKeys.toArray(byte[][]::new));
    }
  }

  private List<byte[]> run(SplittableRandom random) {
    List<byte[]> run = new ArrayList<>();
    for (int entry = 0; entry < entries; entry++) {
      byte[] key = new byte[KEY_LENGTH];
      random.nextBytes(key);
      run.add(key);
    }
    run.sort(Arrays::compareUnsigned);
    return run;
  }

  /** The baseline: the keys alone, in order. */
  @Benchmark
  public long sortKeys() {
    long sum = 0;
    for (byte[][] partition : keys) {
      byte[][] sorted = partition.clone();
      Arrays.sort(sorted, Arrays::compareUnsigned);
      sum += sorted[0][0];
    }
    return sum;
  }

  /** All that there is to do for a target of 1 GiB: 64 works of each partition. */
  @Benchmark
  public ReducePlan plan() {
    return ReducePlanner.plan(partitions, ORDER, policy(Integer.MAX_VALUE));
  }

  /** The same when the target has to be raised until there are no more than 10 000 works. */
  @Benchmark
  public ReducePlan planWithLimit() {
    return ReducePlanner.plan(partitions, ORDER, policy(10_000));
  }

  private static ReducePolicy policy(int maxWorks) {
    return ReducePolicy.auto(WorkTarget.given(1L << 30), maxWorks);
  }
}
