package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunksorter.TestChunk.TestBlock;
import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.tail.ChunkTail;
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
  private static final int BLOCKS = 50;

  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(1000, 16384));

  private static List<TestRecord> records(SplittableRandom random, int count, int valueLength) {
    return IntStream.range(0, count)
        .mapToObj(r -> new TestRecord(TestBytes.text(random, 5), new byte[valueLength + r]))
        .toList();
  }

  /** Plain blocks, and runs of one block or several. */
  private static TestChunk chunk(Seed seed) {
    SplittableRandom random = seed.splittable();
    TestChunk chunk = new TestChunk(Ordering.COMPARATOR, CodecId.LZ4);
    for (int i = 0; i < BLOCKS; i++) {
      CodecId codec = i % 2 == 0 ? CodecId.LZ4 : CodecId.NONE;
      if (i % 5 < 2) {
        chunk.append(i % 7, i % 3, i, codec, records(random, random.nextInt(20), 0));
      } else {
        int count = random.nextInt(1, 20);
        chunk.appendRun(i % 7, i, codec, records(random, count, 40_000), random.nextInt(1, 20));
      }
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
    assertThat(sources).hasSize(BLOCKS);
    assertThat(tail.ordering()).isEqualTo(Ordering.COMPARATOR);
    assertThat(result.runs()).isEqualTo(BLOCKS);
    assertThat(tail.runs()).isEqualTo(BLOCKS);
    assertThat(tail.sources()).isEqualTo(BLOCKS);
    assertThat(tail.entries()).isGreaterThan(BLOCKS);
    assertThat(tail.records()).isEqualTo(result.records());
    assertThat(tail.rawBytes()).isEqualTo(result.rawBytes());
    for (int run = 0; run < BLOCKS; run++) {
      checkRun(tail, run, sources.get(run), buffer);
    }
  }

  private static void checkRun(ChunkTail tail, int run, TestBlock source, ByteBuffer buffer)
      throws FormatException {
    int record = 0;
    for (int entry = tail.runStart(run); entry < tail.runStart(run + 1); entry++) {
      int offset = (int) tail.entryOffset(entry);
      BlockHeader header = PlacedBlock.read(buffer, offset, buffer.capacity()).header();
      header.checkStored(buffer, offset + BlockHeader.LENGTH);
      assertThat(header.isRun()).isFalse();
      assertThat(header.map()).isEqualTo(source.map()).isEqualTo(tail.sourceMap(run));
      assertThat(header.attempt()).isEqualTo(source.attempt()).isEqualTo(tail.sourceAttempt(run));
      assertThat(header.sequence())
          .isEqualTo(source.sequence())
          .isEqualTo(tail.sourceSequence(run));
      assertThat(tail.entryRun(entry)).isEqualTo(run);
      assertThat(tail.entryRecords(entry)).isEqualTo(header.records());
      assertThat(tail.entryLength(entry)).isEqualTo(header.blockLength());
      boolean plain = header.blockLength() == source.bytes().length;
      boolean known = !plain || header.codec() == CodecId.NONE && header.records() > 0;
      assertThat(tail.entryKey(entry)).isEqualTo(known ? source.records().get(record).key() : null);
      record += header.records();
    }
    assertThat(record).isEqualTo(source.records().size()).isEqualTo(tail.sourceRecords(run));
  }

  @Test
  void aRunThatDoesNotAddUpIsRefused() throws FormatException {
    List<TestRecord> records = records(new Seed(1).splittable(), 3, 40_000);
    TestChunk chunk =
        new TestChunk(Ordering.COMPARATOR, CodecId.NONE).appendRun(4, 2, CodecId.NONE, records, 1);
    ByteBuffer buffer = chunk.buffer(10_000);
    BlockHeader header = BlockHeader.read(buffer, ChunkHeader.LENGTH, buffer.capacity());
    new BlockHeader(
            header.codec(),
            header.flags(),
            header.partition(),
            header.map(),
            header.attempt(),
            header.sequence(),
            header.records() + 1,
            header.rawLength(),
            header.storedLength(),
            header.storedChecksum())
        .write(buffer, ChunkHeader.LENGTH);
    assertThatThrownBy(() -> sorter.index(buffer, chunk.length(), buffer))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("chunk=4711")
        .hasMessageContaining("map=4 attempt=0 sequence=2")
        .hasMessageContaining("other records than its header says");
  }

  @Test
  void theTailSaysTheSameForAnyOrderOfAppends(Seed seed) throws FormatException {
    TestChunk chunk = chunk(seed);
    TestChunk other = chunk.shuffled(new Random(seed.value() + 1));
    ByteBuffer left = chunk.buffer(100_000);
    ByteBuffer right = other.buffer(100_000);
    SortResult result = sorter.index(left, chunk.length(), left);
    assertThat(sorter.index(right, other.length(), right)).isEqualTo(result);
  }
}
