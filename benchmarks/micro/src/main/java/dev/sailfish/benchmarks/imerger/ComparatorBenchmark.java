package dev.sailfish.benchmarks.imerger;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A job with a comparator of its own: records of 100 bytes from map tasks, one after the other,
 * through a chunkserver in this process, and merged out of their sorted blocks. A score is the time
 * per record of the job.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ComparatorBenchmark extends AverageTimeBenchmark {
  private static final int MAPS = 32;
  private static final int RECORDS_PER_MAP = 16 << 10;
  private static final int RECORDS = MAPS * RECORDS_PER_MAP;
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String PREPARED = "job_prepared";
  private static final KeyOrder ORDER =
      KeyOrder.of(
          (left, leftAt, leftLength, right, rightAt, rightLength) ->
              Arrays.compareUnsigned(
                  left, leftAt, leftAt + leftLength, right, rightAt, rightAt + rightLength));

  /** What appended blocks are compressed with. */
  @Param({"NONE", "LZ4"})
  public CodecId codec;

  /** Bytes of records in an appended block: with the small ones a map has 32 of them. */
  @Param({"65536", "2097152"})
  public int blockBytes;

  private final RecordCursor records = new RecordCursor();
  private byte[][] mapRecords;
  private Metaserver metaserver;
  private Chunkserver chunkserver;
  private InetSocketAddress address;
  private MetaserverClient client;
  private int[] winners;
  private int jobs;

  /** Starts the servers and writes the job that is merged again and again. */
  @Setup
  public void prepare() throws IOException {
    winners = new int[2 * MAPS];
    mapRecords = new byte[MAPS][];
    for (int map = 0; map < MAPS; map++) {
      winners[2 * map] = map;
      mapRecords[map] = new SortRecords(map).nextBlock(RECORDS_PER_MAP);
    }
    String prefix = MetaserverKey.PREFIX;
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    prefix + "host", "127.0.0.1",
                    prefix + "port", "0",
                    prefix + "web.port", "0",
                    prefix + "journal.dir", "none",
                    prefix + "authentication", "none")));
    address = new InetSocketAddress("127.0.0.1", metaserver.port());
    chunkserver = startChunkserver(metaserver.port());
    client = MetaserverClient.connect(address, "benchmark", Credentials.none(), DEADLINE);
    append(PREPARED);
  }

  private static Chunkserver startChunkserver(int metaserverPort) throws IOException {
    String prefix = ChunkserverConfig.PREFIX;
    return Chunkserver.start(
        ChunkserverConfig.of(
            Map.of(
                prefix + "host", "127.0.0.1",
                prefix + "bind", "127.0.0.1",
                prefix + "port", "0",
                prefix + "web.port", "0",
                prefix + "metaserver.address", "127.0.0.1:" + metaserverPort,
                prefix + "memory.dir", "/dev/shm/sailfish-comparator-benchmark",
                prefix + "memory.size", "1g",
                prefix + "keep.chunks", "false",
                prefix + "authentication", "none")));
  }

  private void append(String job) throws IOException {
    IappenderConfig config =
        new IappenderConfig(address, "127.0.0.1", "benchmark", 0, blockBytes, 0, DEADLINE, 0);
    IfileSpec spec = new IfileSpec(job, 1, ORDER, codec);
    for (int map = 0; map < MAPS; map++) {
      byte[] bytes = mapRecords[map];
      records.reset(bytes, 0, bytes.length, false);
      try (Iappender appender = Iappender.open(config, spec, map, 0)) {
        while (records.next()) {
          appender.append(
              0,
              bytes,
              records.keyOffset(),
              records.keyLength(),
              bytes,
              records.valueOffset(),
              records.valueLength());
        }
        appender.commit();
      }
    }
  }

  private long merge(String job, KeyRange range) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            List.of(address),
            64 << 20,
            Path.of(System.getProperty("java.io.tmpdir")),
            DEADLINE,
            Credentials.none());
    long sum = 0;
    try (Imerger imerger = Imerger.open(config, job, 0, ORDER, "benchmark")) {
      imerger.start(winners, range);
      while (imerger.next()) {
        sum += imerger.keyBuffer()[imerger.keyOffset()] + imerger.valueLength();
      }
    }
    return sum;
  }

  /** All of a job: sorted blocks, appends, commits, the merge. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long job() throws IOException {
    String job = "job_" + jobs++;
    append(job);
    long sum = merge(job, null);
    client.deleteJob(job);
    return sum;
  }

  /** The merge alone. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long merge() throws IOException {
    return merge(PREPARED, null);
  }

  /** The merge of an eighth of the keys; per record of the whole job. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long mergeAnEighth() throws IOException {
    return merge(PREPARED, new KeyRange(new byte[] {' ' + 24}, new byte[] {' ' + 32}));
  }

  /** Stops the servers. */
  @TearDown
  public void stop() throws IOException {
    client.close();
    chunkserver.close();
    metaserver.close();
  }
}
