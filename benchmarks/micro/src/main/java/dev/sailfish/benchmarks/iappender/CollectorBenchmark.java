package dev.sailfish.benchmarks.iappender;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IfileSpec;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Records of 100 bytes (10-byte key, 90-byte value) into partition buffers, from there as blocks
 * over loopback to a server that drops them. A score is the time per record; {@link #copyOnly} is
 * the floor: the same bytes copied to as many arrays of a block's size.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CollectorBenchmark extends AverageTimeBenchmark {

  private static final int RECORDS = 10_000;
  private static final int KEY_LENGTH = 10;
  private static final int VALUE_LENGTH = 90;
  private static final int LENGTH = KEY_LENGTH + VALUE_LENGTH;
  private static final int BLOCK_LENGTH = 256 << 10;

  /** How many partitions the records go to, at random. */
  @Param({"8", "128"})
  public int partitions;

  private byte[] records;
  private int[] targets;
  private DiscardingServer server;
  private Iappender appender;
  private byte[][] blocks;
  private int[] ends;

  /** Makes {@value #RECORDS} records and opens an iappender. */
  @Setup
  public void prepare() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    records = new byte[RECORDS * LENGTH];
    random.nextBytes(records);
    targets = random.ints(RECORDS, 0, partitions).toArray();
    blocks = new byte[partitions][BLOCK_LENGTH];
    ends = new int[partitions];
    server = new DiscardingServer();
    KeyOrder order = KeyOrder.normalized(KeyEncoding.BYTES);
    IfileSpec spec = new IfileSpec("job_1_1", partitions, order, CodecId.NONE);
    appender = Iappender.open(server.config(), spec, 0, 0);
  }

  /** Closes both sides. */
  @TearDown
  public void end() throws IOException {
    appender.close();
    server.close();
  }

  /** The baseline: what moving the bytes to as many places costs. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public byte[][] copyOnly() {
    for (int i = 0, at = 0; i < RECORDS; i++, at += LENGTH) {
      int target = targets[i];
      if (ends[target] + LENGTH > BLOCK_LENGTH) {
        ends[target] = 0;
      }
      System.arraycopy(records, at, blocks[target], ends[target], LENGTH);
      ends[target] += LENGTH;
    }
    return blocks;
  }

  /** As a collector does: key and value are serialized to the stream. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long collect() throws IOException {
    DataOutputStream out = appender.output();
    for (int i = 0, at = 0; i < RECORDS; i++, at += LENGTH) {
      appender.startRecord(targets[i]);
      out.writeInt(KEY_LENGTH);
      out.write(records, at, KEY_LENGTH);
      appender.endKey();
      out.write(records, at + KEY_LENGTH, VALUE_LENGTH);
      appender.endRecord();
    }
    return appender.records();
  }
}
