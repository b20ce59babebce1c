package dev.sailfish.benchmarks.format;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.tail.ChunkTail;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;

/**
 * The index of one sorted chunk of 128 MiB of the partitioned sort's records, about two thousand
 * blocks of 64 KiB: read, searched and walked over. A score of {@link #parse} and {@link #walk} is
 * the time for the whole chunk, one of {@link #find} the time per key. Each has the JDK's way with
 * as many bytes or numbers beside it: {@link #copyTail}, {@link #walkArray}, {@link #findInArray}.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
public class IndexScanBenchmark extends AverageTimeBenchmark {
  private static final int CHUNK_BYTES = 128 << 20;
  private static final int RECORDS_PER_BLOCK = (256 << 10) / SortRecords.LENGTH;
  private static final int SORTED_BLOCK_BYTES = 64 << 10;
  private static final int KEYS = 1024;

  private byte[] tailCopy;
  private ByteBuffer tailBytes;
  private ChunkTail tail;
  private byte[][] keys;
  private int[] lengths;
  private long[] firstPrefixes;
  private long[] prefixes;

  /** Fills a chunk, sorts it and keeps its tail; draws {@value #KEYS} keys to look for. */
  @Setup(Level.Trial)
  public void prepare() throws FormatException {
    SortRecords records = new SortRecords(1);
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    int length = records.fillChunk(chunk, 0, RECORDS_PER_BLOCK);
    ByteBuffer sorted = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, length));
    SortResult result =
        new ChunkSorter(new SorterConfig(256L << 20, SORTED_BLOCK_BYTES))
            .sort(chunk, length, sorted);
    int tailLength = result.length() - result.tailOffset();
    tailCopy = new byte[tailLength];
    sorted.get(result.tailOffset(), tailCopy);
    tailBytes = ByteBuffer.allocateDirect(tailLength).put(0, tailCopy);
    tail = ChunkTail.parse(tailBytes, tailLength);
    lengths = new int[tail.entries()];
    firstPrefixes = new long[tail.entries()];
    for (int entry = 0; entry < tail.entries(); entry++) {
      lengths[entry] = tail.entryLength(entry);
      firstPrefixes[entry] = signedPrefix(tail.entryKey(entry));
    }
    keys = new byte[KEYS][];
    prefixes = new long[KEYS];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = records.nextKey();
      prefixes[i] = signedPrefix(keys[i]);
    }
  }

  /** The first eight bytes of a key, so that the order of signed numbers is that of the keys. */
  private static long signedPrefix(byte[] key) {
    return KeyEncoding.prefix(key, 0, key.length) ^ Long.MIN_VALUE;
  }

  /** The baseline of {@link #parse}: what moving the bytes of the tail costs. */
  @Benchmark
  public byte[] copyTail() {
    tailBytes.get(0, tailCopy);
    return tailCopy;
  }

  /** Checks the tail and makes arrays of its tables, as a chunkserver does before it reads. */
  @Benchmark
  public ChunkTail parse() throws FormatException {
    return ChunkTail.parse(tailBytes, tailCopy.length);
  }

  /** The baseline of {@link #find}: {@link Arrays#binarySearch(long[], long)} for key prefixes. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long findInArray() {
    long sum = 0;
    for (long prefix : prefixes) {
      sum += Arrays.binarySearch(firstPrefixes, prefix);
    }
    return sum;
  }

  /** Finds the block that may hold a random key, as a chunkserver does for a range. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long find() {
    long sum = 0;
    for (byte[] key : keys) {
      sum += tail.entryOffset(tail.firstEntry(0, key));
    }
    return sum;
  }

  /** The baseline of {@link #walk}: an array of as many lengths, added up. */
  @Benchmark
  public long walkArray() {
    long sum = 0;
    for (int length : lengths) {
      sum += length;
    }
    return sum;
  }

  /** Looks at every field of every entry but the key, as an imerger does before it merges. */
  @Benchmark
  public long walk() {
    long sum = 0;
    for (int entry = 0; entry < tail.entries(); entry++) {
      sum +=
          tail.entryRun(entry)
              + tail.entryOffset(entry)
              + tail.entryLength(entry)
              + tail.entryRawLength(entry)
              + tail.entryRecords(entry);
    }
    return sum;
  }
}
