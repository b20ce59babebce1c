package dev.sailfish.benchmarks.lineage;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.ground.memory.Unmapping;
import dev.sailfish.lineage.protocol.BlockTail;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Ways to read a block of 128 MiB on {@code /dev/shm} into a direct buffer of 1 MiB, each byte
 * checked: what the readers of the lineage store choose from.
 */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class BlockReadBenchmark extends AverageTimeBenchmark {
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 128 * MIB;

  /** Bytes that are read, then checked, with the channel. */
  @Param({"65536", "262144", "1048576"})
  public int piece;

  private final ByteBuffer into = ByteBuffer.allocateDirect(MIB);
  private Path path;
  private FileChannel file;
  private BlockTail tail;
  private MappedByteBuffer touched;

  /** Writes the block. */
  @Setup
  public void write() throws IOException {
    path = Files.createTempFile(Path.of("/dev/shm"), "block-read-", null);
    file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    int[] checksums = new int[BlockTail.units(LENGTH)];
    for (int at = 0; at < LENGTH; at += MIB) {
      into.clear().putInt(0, at);
      int[] sums = BlockTail.checksums(into);
      System.arraycopy(sums, 0, checksums, BlockTail.units(at), sums.length);
      file.write(into, at);
    }
    tail = new BlockTail(1, 0, LENGTH, checksums);
    touched = file.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
    touched.load();
  }

  /** Removes it. */
  @TearDown
  public void remove() throws IOException {
    Unmapping.unmap(touched);
    file.close();
    Files.delete(path);
  }

  /** The baseline: the channel, nothing checked. */
  @Benchmark
  public void unchecked() throws IOException {
    for (int at = 0; at < LENGTH; at += MIB) {
      fill(at, MIB, into.clear());
    }
  }

  /** The channel, with a check of each piece where it has arrived. */
  @Benchmark
  public void channel() throws IOException {
    for (int at = 0; at < LENGTH; at += piece) {
      int from = at % MIB;
      into.limit(from + piece).position(from);
      fill(at, piece, into);
      tail.verify(at, into.position(from));
    }
  }

  private void fill(int at, int count, ByteBuffer to) throws IOException {
    for (int done = 0; done < count; ) {
      done += file.read(to, (long) at + done);
    }
  }

  /** A new mapping, out of which each unit is checked and copied; it ends at once. */
  @Benchmark
  public void freshMapping() throws IOException {
    MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
    copy(mapped);
    Unmapping.unmap(mapped);
  }

  /** The same of a mapping whose pages were touched before: what a helper leaves to the reader. */
  @Benchmark
  public void touchedMapping() throws IOException {
    copy(touched);
  }

  private void copy(ByteBuffer mapped) throws IOException {
    for (int at = 0; at < LENGTH; at += BlockTail.UNIT) {
      ByteBuffer unit = mapped.slice(at, BlockTail.UNIT);
      tail.verify(at, unit);
      into.put(at % MIB, unit, 0, BlockTail.UNIT);
    }
  }
}
