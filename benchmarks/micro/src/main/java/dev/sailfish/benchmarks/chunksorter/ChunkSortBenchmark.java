package dev.sailfish.benchmarks.chunksorter;

import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
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
import java.nio.charset.StandardCharsets;
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

/**
 * Sorting one 128 MiB chunk of 128 uncompressed blocks, from checked blocks to written tail, on
 * warm memory. A score is the wall time for one chunk; {@code cpuMillisPerGb} is the thread's CPU
 * time, which other load on the machine disturbs less.
 */
@Warmup(iterations = 10)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
public class ChunkSortBenchmark extends SortOfOneChunk {

  private static final int CHUNK_BYTES = 128 * 1024 * 1024;
  private static final int BLOCK_BYTES = 1024 * 1024;
  private static final int KEY_BYTES = 10;

  /** What the keys, 10 bytes each, look like. */
  public enum Keys {
    /** Printable characters, as in the partitioned sort. */
    ASCII,
    /** Any bytes. */
    BINARY,
    /** A prefix and eight digits. */
    DIGITS,
    /** One key for all records. */
    EQUAL
  }

  /** CPU time beside the wall time. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Cpu {
    /** CPU time of the sorting thread. */
    public double cpuMillis;
  }

  /** Kind of keys. */
  @Param public Keys keys;

  /** Length of a value in bytes. */
  @Param({"88"})
  public int valueLength;

  /** What sorted blocks are compressed with. */
  @Param({"NONE", "LZ4"})
  public CodecId codec;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(256L << 20, 64 * 1024));
  private final SplittableRandom random = new SplittableRandom(1);
  private ByteBuffer chunk;
  private ByteBuffer output;
  private int length;

  /** Appends blocks until the chunk is full. */
  @Setup(Level.Trial)
  public void prepare() throws FormatException {
    chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    new ChunkHeader("job", 0, 1, Ordering.NORMALIZED, codec).write(chunk);
    length = ChunkHeader.LENGTH;
    for (int map = 0; length + BLOCK_BYTES <= CHUNK_BYTES; map++) {
      length = appendBlock(map, length);
    }
    output = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, length));
  }

  private int appendBlock(int map, int offset) {
    int start = offset + BlockHeader.LENGTH;
    int position = start;
    int records = 0;
    byte[] value = new byte[valueLength];
    while (position + KEY_BYTES + valueLength + 2 * Varint.MAX_LENGTH <= offset + BLOCK_BYTES) {
      position = Varint.put(chunk, Varint.put(chunk, position, valueLength), KEY_BYTES);
      chunk.put(position, nextKey());
      random.nextBytes(value);
      chunk.put(position + KEY_BYTES, value);
      position += KEY_BYTES + valueLength;
      records++;
    }
    int raw = position - start;
    int checksum = Checksum.of(chunk, start, raw);
    new BlockHeader(CodecId.NONE, 0, 0, map, 0, 0, records, raw, raw, checksum)
        .write(chunk, offset);
    return position;
  }

  private byte[] nextKey() {
    byte[] key = new byte[KEY_BYTES];
    switch (keys) {
      case ASCII -> {
        for (int i = 0; i < key.length; i++) {
          key[i] = (byte) random.nextInt(' ', 127);
        }
      }
      case BINARY -> random.nextBytes(key);
      case DIGITS ->
          key =
              ("k" + (1_000_000_000 + random.nextInt(100_000_000)))
                  .substring(1)
                  .getBytes(StandardCharsets.US_ASCII);
      case EQUAL -> key[0] = 1;
    }
    return key;
  }

  /** Scan, sort, gather and both checksums. */
  @Benchmark
  public SortResult sort(Cpu cpu) throws FormatException {
    long start = threads.getCurrentThreadCpuTime();
    SortResult result = sorter.sort(chunk, length, output);
    long nanos = threads.getCurrentThreadCpuTime() - start;
    cpu.cpuMillis += nanos * 1e-6;
    return result;
  }
}
