package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunksorter.TestChunk.TestBlock;
import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Seeded
class IndexTest {
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(1000, 16384));

  private static TestChunk chunk(Seed seed) {
    SplittableRandom random = seed.splittable();
    TestChunk chunk = new TestChunk(Ordering.COMPARATOR, CodecId.LZ4);
    for (int i = 0; i < 50; i++) {
      List<TestRecord> records =
          IntStream.range(0, random.nextInt(20))
              .mapToObj(r -> new TestRecord(TestBytes.text(random, 5), new byte[r]))
              .toList();
      chunk.append(i % 7, i % 3, i, i % 2 == 0 ? CodecId.LZ4 : CodecId.NONE, records);
    }
    return chunk.appendAgain(3).appendAgain(3).appendAgain(40).shuffled(seed.random());
  }

  @Test
  void everyBlockIsARunInSourceOrder(Seed seed) throws FormatException {
    TestChunk chunk = chunk(seed);
    ByteBuffer buffer = chunk.buffer(0);
    int length = chunk.length();
    buffer = chunk.buffer((int) ChunkSorter.maxIndexedLength(buffer, length) - length);
    SortResult result = sorter.index(buffer, length, buffer);
    assertThat(buffer.slice(0, length)).isEqualTo(chunk.buffer(0));
    assertThat(result.tailOffset()).isEqualTo(length);
    ChunkTail tail = ChunkTail.read(buffer, result.length());
    assertThat(tail.offset()).isEqualTo(length);
    List<TestBlock> sources = SortedChunk.sources(chunk);
    assertThat(sources).hasSize(50);
    assertThat(tail.ordering()).isEqualTo(Ordering.COMPARATOR);
    assertThat(result.runs()).isEqualTo(50);
    assertThat(tail.runs()).isEqualTo(50);
    assertThat(tail.sources()).isEqualTo(50);
    assertThat(tail.entries()).isEqualTo(50);
    assertThat(tail.records()).isEqualTo(result.records());
    assertThat(tail.rawBytes()).isEqualTo(result.rawBytes());
    for (int run = 0; run < 50; run++) {
      checkRun(tail, run, sources.get(run), buffer);
    }
  }

  private static void checkRun(ChunkTail tail, int run, TestBlock source, ByteBuffer buffer)
      throws FormatException {
    int offset = (int) tail.entryOffset(run);
    BlockHeader header = BlockHeader.read(buffer, offset, buffer.capacity());
    assertThat(header.map()).isEqualTo(source.map()).isEqualTo(tail.sourceMap(run));
    assertThat(header.attempt()).isEqualTo(source.attempt()).isEqualTo(tail.sourceAttempt(run));
    assertThat(header.sequence()).isEqualTo(source.sequence()).isEqualTo(tail.sourceSequence(run));
    assertThat(tail.entryRun(run)).isEqualTo(run);
    assertThat(tail.entryRecords(run))
        .isEqualTo(source.records().size())
        .isEqualTo(tail.sourceRecords(run));
    assertThat(tail.entryLength(run)).isEqualTo(source.bytes().length);
    assertThat(tail.entryKey(run)).isEmpty();
  }

  @Test
  void theTailSaysTheSameForAnyOrderOfAppends(Seed seed) throws FormatException {
    TestChunk chunk = chunk(seed);
    TestChunk other = chunk.shuffled(new Random(seed.value() + 1));
    ByteBuffer left = chunk.buffer(10_000);
    ByteBuffer right = other.buffer(10_000);
    SortResult result = sorter.index(left, chunk.length(), left);
    assertThat(sorter.index(right, other.length(), right)).isEqualTo(result);
  }
}
