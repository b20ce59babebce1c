package dev.sailfish.benchmarks.imerger;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Records of 100 bytes (10-byte key, 90-byte value) out of sorted runs over loopback: plan, reads,
 * checksums and the loser tree together. A score is the time per record; one run needs no tree, and
 * {@link #walkOnly} is the floor: the same records walked over in memory.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class MergeBenchmark extends AverageTimeBenchmark {
  private static final int RECORDS = 1 << 19;

  /** How many runs the records are in. */
  @Param({"1", "4", "64", "512"})
  public int runs;

  private RunServer server;
  private ImergerConfig config;
  private int[] winners;
  private byte[] plain;

  /** Makes the runs and starts a server that holds them. */
  @Setup
  public void prepare() throws IOException {
    server = new RunServer(runs, RECORDS / runs);
    config =
        new ImergerConfig(
            server.address(),
            128 << 20,
            Path.of(System.getProperty("java.io.tmpdir")),
            Duration.ofSeconds(30));
    winners = new int[2 * runs];
    for (int i = 0; i < runs; i++) {
      winners[2 * i] = i;
    }
    plain = new SortRecords(1).nextBlock(RECORDS);
  }

  /** Stops the server. */
  @TearDown
  public void stop() {
    server.close();
  }

  /** Merges all runs. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long merge() throws IOException {
    long sum = 0;
    try (Imerger imerger =
        Imerger.open(config, "job_1_1", 0, KeyOrder.normalized(KeyEncoding.RAW), "benchmark")) {
      imerger.start(winners);
      while (imerger.next()) {
        sum += imerger.keyBuffer()[imerger.keyOffset()] + imerger.valueLength();
      }
    }
    return sum;
  }

  /** Walks over as many records in memory. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long walkOnly() throws IOException {
    long sum = 0;
    RecordCursor cursor = new RecordCursor();
    cursor.reset(plain, 0, plain.length, false);
    while (cursor.next()) {
      sum += cursor.buffer()[cursor.keyOffset()] + cursor.valueLength();
    }
    return sum;
  }
}
