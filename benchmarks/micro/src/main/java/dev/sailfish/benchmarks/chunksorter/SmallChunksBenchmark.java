package dev.sailfish.benchmarks.chunksorter;

import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.Varint;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Sorting some small chunks of one I-file; a score is the wall time for all of them, {@code
 * cpuMillis} the thread's CPU time, which other load on the machine disturbs less.
 */
@Warmup(iterations = 10)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
public class SmallChunksBenchmark extends SortOfOneChunk {
  private static final int BLOCK_BYTES = 64 * 1024;
  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 88;

  /** CPU time beside the wall time. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Cpu {
    /** CPU time of the sorting thread. */
    public double cpuMillis;
  }

  /** How many chunks. */
  @Param({"8"})
  public int chunks;

  /** Bytes of each chunk; half a block at least. */
  @Param({"131072", "1048576", "8388608"})
  public int chunkBytes;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(256L << 20, 64 * 1024));
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<StableChunk> stable = new ArrayList<>();
  private ByteBuffer output;

  /** Appends blocks to all chunks. */
  @Setup(Level.Trial)
  public void prepare() throws FormatException {
    for (int id = 1; id <= chunks; id++) {
      ByteBuffer chunk = ByteBuffer.allocateDirect(chunkBytes + BLOCK_BYTES);
      new ChunkHeader("job", 0, id, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
      int length = ChunkHeader.LENGTH;
      for (int sequence = 0; length < chunkBytes; sequence++) {
        length = appendBlock(chunk, id, sequence, length);
      }
      stable.add(new StableChunk(chunk, length));
    }
    output = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(stable));
  }

  private int appendBlock(ByteBuffer chunk, int map, int sequence, int offset) {
    int start = offset + BlockHeader.LENGTH;
    int position = start;
    int records = 0;
    byte[] key = new byte[KEY_BYTES];
    int recordBytes = KEY_BYTES + VALUE_BYTES + 2;
    while (position + recordBytes <= offset + BLOCK_BYTES) {
      position = Varint.put(chunk, Varint.put(chunk, position, VALUE_BYTES), KEY_BYTES);
      random.nextBytes(key);
      chunk.put(position, key);
      position += KEY_BYTES + VALUE_BYTES;
      records++;
    }
    int raw = position - start;
    int checksum = Checksum.of(chunk, start, raw);
    new BlockHeader(CodecId.NONE, 0, 0, map, 0, sequence, records, raw, raw, checksum)
        .write(chunk, offset);
    return position;
  }

  /** Into one file. */
  @Benchmark
  public SortResult together(Cpu cpu) throws FormatException {
    long start = threads.getCurrentThreadCpuTime();
    SortResult result = sorter.sortTogether(stable, output, null);
    cpu.cpuMillis += (threads.getCurrentThreadCpuTime() - start) * 1e-6;
    return result;
  }

  /** Each into a file of its own: the baseline. */
  @Benchmark
  public void oneByOne(Blackhole sink, Cpu cpu) throws FormatException {
    long start = threads.getCurrentThreadCpuTime();
    for (StableChunk chunk : stable) {
      sink.consume(sorter.sort(chunk.bytes(), chunk.length(), output));
    }
    cpu.cpuMillis += (threads.getCurrentThreadCpuTime() - start) * 1e-6;
  }
}
