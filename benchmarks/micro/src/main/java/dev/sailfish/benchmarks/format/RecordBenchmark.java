package dev.sailfish.benchmarks.format;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.RecordDescriptor;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Writes and walks over the records of one block. A score is the time per record; {@link #copyOnly}
 * is the floor: the same keys and values copied without any header.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RecordBenchmark extends AverageTimeBenchmark {

  private static final int RECORDS = 10_000;
  private static final int KEY_LENGTH = 10;

  /** Length of a value in bytes; 90 is the partitioned sort's, 200 needs a second varint byte. */
  @Param({"0", "90", "200"})
  public int valueLength;

  private byte[] keysAndValues;
  private byte[] block;
  private int blockLength;
  private final RecordCursor cursor = new RecordCursor();

  /** Makes the bytes of {@value #RECORDS} records and one block that holds them. */
  @Setup
  public void prepare() {
    keysAndValues = new byte[RECORDS * (KEY_LENGTH + valueLength)];
    new SplittableRandom(1).nextBytes(keysAndValues);
    block =
        new byte
            [keysAndValues.length
                + RECORDS * RecordDescriptor.headerLength(KEY_LENGTH, valueLength)];
    blockLength = fill();
  }

  /** The baseline: what moving the bytes costs. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public byte[] copyOnly() {
    int length = KEY_LENGTH + valueLength;
    for (int i = 0, at = 0; i < RECORDS; i++, at += length) {
      System.arraycopy(keysAndValues, at, block, at, length);
    }
    return block;
  }

  /** As a collector does: header, key, value. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public int write() {
    return fill();
  }

  /** Walks over all records without touching keys and values. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long walk() throws CorruptFormatException {
    cursor.reset(block, 0, blockLength, false);
    long offsets = 0;
    while (cursor.next()) {
      offsets += cursor.keyOffset();
    }
    return offsets;
  }

  private int fill() {
    int length = KEY_LENGTH + valueLength;
    int to = 0;
    for (int i = 0, from = 0; i < RECORDS; i++, from += length) {
      to = RecordDescriptor.putHeader(block, to, KEY_LENGTH, valueLength);
      System.arraycopy(keysAndValues, from, block, to, length);
      to += length;
    }
    return to;
  }
}
