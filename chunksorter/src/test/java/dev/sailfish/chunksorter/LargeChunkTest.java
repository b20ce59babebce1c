package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.Varint;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.testkit.Seeded;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * A million records whose keys are hard for a radix sort: time must stay linear. Each record's
 * value is its number in (source, position) order, so that the order of equal keys can be checked.
 */
@Seeded
class LargeChunkTest {
  private static final int RECORDS = 1_000_000;
  private static final int PER_BLOCK = 20_000;

  /** A quadratic sort would need hours; a linear one needs about a second. */
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /** Memory for buckets, and for the arrays alone. */
  private static final int[] MEMORY_BYTES = {256 << 20, 16_000_000};

  @Test
  void oneKey() {
    check(i -> new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  }

  @Test
  void emptyKeys() {
    check(i -> new byte[0]);
  }

  @Test
  void keysThatDifferInByte100Only(SplittableRandom random) {
    byte[] key = new byte[104];
    Arrays.fill(key, (byte) 'k');
    check(
        i -> {
          key[100] = (byte) random.nextInt(256);
          return key;
        });
  }

  @Test
  void oneHotKeyAmongOthers(SplittableRandom random) {
    check(
        i ->
            random.nextInt(10) > 0
                ? new byte[] {50, 0, 50, 0, 50, 0, 50, 0}
                : random(random, random.nextInt(12)));
  }

  @Test
  void keysThatAreAllAlikeButFew(SplittableRandom random) {
    byte[] key = new byte[60];
    check(
        i -> {
          key[59] = (byte) i;
          if (random.nextInt(100_000) == 0) {
            return random(random, 3);
          }
          return key;
        });
  }

  @Test
  void keysThatAreLongTails(SplittableRandom random) {
    check(i -> Arrays.copyOf(new byte[] {1}, 1 + random.nextInt(120)));
  }

  @Test
  void keysThatDivergeAgainAndAgain(SplittableRandom random) {
    byte[] key = new byte[100];
    check(
        i -> {
          for (int j = 0; j < key.length; j += 20) {
            key[j] = (byte) (random.nextInt(3));
          }
          return key;
        });
  }

  @Test
  void howFarASortIsCanBeAskedMeanwhile(SplittableRandom random) throws Exception {
    ByteBuffer chunk = ByteBuffer.allocateDirect(RECORDS * 112 + (1 << 20));
    int length = fill(chunk, i -> random(random, 8));
    ByteBuffer output = ByteBuffer.allocateDirect((int) ChunkSorter.maxSortedLength(chunk, length));
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(MEMORY_BYTES[0], 65536));
    AtomicBoolean seen = new AtomicBoolean();
    FutureTask<Integer> sorts =
        new FutureTask<>(
            () -> {
              int sorted = 0;
              while (!seen.get()) {
                sorted = sorter.sort(chunk, length, output).length();
              }
              return sorted;
            });
    Thread thread = new Thread(sorts, "sorter");
    thread.setDaemon(true);
    thread.start();
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> sorter.writtenBytes() > length / 10);
    seen.set(true);
    assertThat(sorts.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isGreaterThan(length / 10);
    assertThat(sorter.writtenBytes()).isZero();
  }

  private static byte[] random(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private void check(IntFunction<byte[]> keys) {
    ByteBuffer chunk = ByteBuffer.allocateDirect(RECORDS * 112 + (1 << 20));
    int length = fill(chunk, keys);
    List<ByteBuffer> outputs = new ArrayList<>();
    for (int memoryBytes : MEMORY_BYTES) {
      ChunkSorter sorter = new ChunkSorter(new SorterConfig(memoryBytes, 65536));
      outputs.add(
          Assertions.assertTimeoutPreemptively(DEADLINE, () -> sort(sorter, chunk, length)));
    }
    assertThat(outputs.get(1).mismatch(outputs.get(0))).as("the same bytes").isEqualTo(-1);
  }

  private static ByteBuffer sort(ChunkSorter sorter, ByteBuffer chunk, int length)
      throws FormatException {
    long bound = ChunkSorter.maxSortedLength(chunk, length);
    ByteBuffer output = ByteBuffer.allocateDirect((int) bound);
    SortResult result = sorter.sort(chunk, length, output);
    checkOrder(output, result);
    assertThat(result.records()).isEqualTo(RECORDS);
    assertThat(result.runs()).isEqualTo(1);
    return output.limit(result.length());
  }

  private static int fill(ByteBuffer chunk, IntFunction<byte[]> keys) {
    new ChunkHeader("job", 0, 1, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    int offset = ChunkHeader.LENGTH;
    for (int block = 0; block < RECORDS / PER_BLOCK; block++) {
      int start = offset + BlockHeader.LENGTH;
      int position = start;
      for (int i = 0; i < PER_BLOCK; i++) {
        byte[] key = keys.apply(block * PER_BLOCK + i);
        position = Varint.put(chunk, Varint.put(chunk, position, Integer.BYTES), key.length);
        chunk.put(position, key);
        position += key.length;
        chunk.putInt(position, block * PER_BLOCK + i);
        position += Integer.BYTES;
      }
      int raw = position - start;
      int checksum = Checksum.of(chunk, start, raw);
      new BlockHeader(CodecId.NONE, 0, 0, block, 0, 0, PER_BLOCK, raw, raw, checksum)
          .write(chunk, offset);
      offset = position;
    }
    return offset;
  }

  private static void checkOrder(ByteBuffer sorted, SortResult result) throws FormatException {
    assertThat(ChunkTail.locate(sorted, result.length())).isEqualTo(result.tailOffset());
    byte[] lastKey = {};
    int lastNumber = -1;
    int offset = ChunkHeader.LENGTH;
    BufferRecordCursor cursor = new BufferRecordCursor();
    while (offset < result.tailOffset()) {
      BlockHeader header = BlockHeader.read(sorted, offset, result.tailOffset());
      int position = offset + BlockHeader.LENGTH;
      int end = offset + header.blockLength();
      while (position < end) {
        int source = Varint.get(sorted, position, end);
        position += Varint.length(source);
        cursor.reset(sorted, position, end - position);
        cursor.next();
        byte[] key = new byte[cursor.keyLength()];
        sorted.get(cursor.keyOffset(), key);
        int number = sorted.getInt(cursor.keyOffset() + cursor.keyLength());
        int order = Arrays.compareUnsigned(lastKey, key);
        if (order > 0 || order == 0 && number <= lastNumber || source != number / PER_BLOCK) {
          throw new AssertionError(
              "wrong order: number=" + number + " after=" + lastNumber + " source=" + source);
        }
        lastKey = key;
        lastNumber = number;
        position += cursor.length();
      }
      offset = end;
    }
  }
}
