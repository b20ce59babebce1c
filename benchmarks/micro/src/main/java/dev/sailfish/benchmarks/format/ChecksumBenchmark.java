package dev.sailfish.benchmarks.format;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.format.Checksum;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * CRC32C of one block, on the heap and in mapped memory; every byte pays it three times between map
 * and reduce. {@link #crc32} is the JDK's other checksum, for comparison.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ChecksumBenchmark extends AverageTimeBenchmark {

  /** Length of the block in bytes. */
  @Param({"4096", "65536", "1048576"})
  public int length;

  private byte[] heap;
  private ByteBuffer direct;

  /** Fills both blocks with the same random bytes. */
  @Setup
  public void prepare() {
    heap = new byte[length];
    new SplittableRandom(1).nextBytes(heap);
    direct = ByteBuffer.allocateDirect(length).put(0, heap);
  }

  /** A block in a Java array, as the iappender has it. */
  @Benchmark
  public int heap() {
    return Checksum.of(heap, 0, length);
  }

  /** A block outside the heap, as a chunkserver has it. */
  @Benchmark
  public int direct() {
    return Checksum.of(direct, 0, length);
  }

  /** The baseline: {@link CRC32}. */
  @Benchmark
  public long crc32() {
    CRC32 crc = new CRC32();
    crc.update(heap, 0, length);
    return crc.getValue();
  }
}
