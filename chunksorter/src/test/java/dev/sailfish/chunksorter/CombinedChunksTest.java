package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.chunksorter.TestChunk.TestBlock;
import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several chunks that are sorted as one are what one chunk with all their blocks would be. */
@Seeded
class CombinedChunksTest {
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final SorterConfig ROOMY = new SorterConfig(64L << 20, BLOCK_BYTES);

  private static TestChunk chunk(SplittableRandom random, CodecId codec, int blocks) {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
    for (int i = 0; i < blocks; i++) {
      List<TestRecord> records = new ArrayList<>();
      for (int record = random.nextInt(1, 60); record > 0; record--) {
        byte[] key = TestBytes.random(random, random.nextInt(3));
        records.add(new TestRecord(key, TestBytes.compressible(random, 200, 0.5)));
      }
      chunk.append(i % 7, i % 2, i, codec, records);
    }
    return chunk.shuffled(new Random(random.nextLong()));
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void shouldBeSortedAsOneChunk(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    ChunkSorter sorter = new ChunkSorter(ROOMY);
    for (int round = 0; round < 20; round++) {
      TestChunk whole = chunk(random, codec, random.nextInt(5, 60));
      List<TestChunk> parts = new ArrayList<>(whole.dealt(random.nextInt(2, 6)));
      List<TestBlock> sources = SortedChunk.sources(whole);
      SortedChunk expected = SortedChunk.of(sorter, whole);
      List<TestChunk> shuffled = new ArrayList<>(parts);
      Collections.shuffle(shuffled, new Random(random.nextLong()));
      SortedChunk sorted = SortedChunk.of(sorter, shuffled);
      sorted.check(whole, BLOCK_BYTES);
      assertThat(sorted.tail.runs()).isEqualTo(1);
      assertThat(blocks(sorted)).isEqualTo(blocks(expected));
      assertThat(sorted.tail.sharedChunks())
          .containsExactly(parts.stream().mapToLong(TestChunk::id).toArray());
      for (TestChunk part : parts) {
        for (TestBlock block : part.blocks()) {
          int source = sources.indexOf(block);
          assertThat(sorted.tail.sourceChunk(source, 0)).isEqualTo(part.id());
        }
      }
    }
  }

  private static byte[] blocks(SortedChunk sorted) {
    byte[] bytes = new byte[sorted.result.tailOffset()];
    sorted.buffer.get(0, bytes);
    return bytes;
  }

  /** Only the manifest says which of them counts. */
  @Test
  void aBlockInTwoChunksShouldBeTwoSources(Seed seed) throws FormatException {
    TestChunk whole = chunk(seed.splittable(), CodecId.NONE, 4);
    List<TestChunk> parts = whole.dealt(2);
    TestBlock twice = parts.get(0).blocks().get(0);
    parts.get(1).blocks().add(twice);
    parts.get(1).blocks().add(twice);
    SortedChunk sorted = SortedChunk.of(new ChunkSorter(ROOMY), parts);
    assertThat(sorted.tail.sources()).isEqualTo(5);
    int first = SortedChunk.sources(whole).indexOf(twice);
    for (int source = first; source < first + 2; source++) {
      assertThat(sorted.tail.sourceMap(source)).isEqualTo(twice.map());
      assertThat(sorted.tail.sourceSequence(source)).isEqualTo(twice.sequence());
      assertThat(sorted.tail.sourceChunk(source, 0)).isEqualTo(TestChunk.CHUNK_ID + source - first);
    }
    long records = whole.blocks().stream().mapToLong(block -> block.records().size()).sum();
    assertThat(sorted.tail.records()).isEqualTo(records + twice.records().size());
  }

  @Test
  void shouldSplitIntoRunsWhenMemoryIsShort(Seed seed) throws FormatException {
    TestChunk whole = chunk(seed.splittable(), CodecId.LZ4, 60);
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(100_000, BLOCK_BYTES));
    SortedChunk sorted = SortedChunk.of(sorter, whole.dealt(3));
    sorted.check(whole, BLOCK_BYTES);
    assertThat(sorted.tail.runs()).isGreaterThan(1);
  }

  /** Long enough for buckets; without memory for them too, when the chunks just fit. */
  @ParameterizedTest
  @EnumSource(
      value = CodecId.class,
      names = {"NONE", "LZ4"})
  void shouldBeTheSameWithBucketsAndWithout(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    TestChunk whole = new TestChunk(Ordering.NORMALIZED, codec);
    for (int block = 0; block < 120; block++) {
      List<TestRecord> records = new ArrayList<>();
      for (int record = 0; record < 500; record++) {
        byte[] key = TestBytes.random(random, random.nextInt(1, 9));
        records.add(new TestRecord(key, TestBytes.random(random, 90)));
      }
      whole.append(block % 7, 0, block, codec, records);
    }
    List<TestChunk> parts = whole.dealt(4);
    SortedChunk roomy = SortedChunk.of(new ChunkSorter(ROOMY), parts);
    roomy.check(whole, BLOCK_BYTES);
    SorterConfig tight = new SorterConfig(8L << 20, BLOCK_BYTES);
    SortedChunk inScratch = SortedChunk.of(new ChunkSorter(tight), parts);
    assertThat(inScratch.tail.runs()).isEqualTo(1);
    assertThat(inScratch.bytes()).isEqualTo(roomy.bytes());
    assertThat(blocks(SortedChunk.of(new ChunkSorter(tight), whole))).isEqualTo(blocks(roomy));
  }

  @ParameterizedTest
  @EnumSource(
      value = CodecId.class,
      names = {"NONE", "LZ4"})
  void damageShouldNameTheChunk(CodecId codec, Seed seed) {
    List<TestChunk> parts = chunk(seed.splittable(), codec, 6).dealt(3);
    List<StableChunk> stable = parts.stream().map(TestChunk::stable).toList();
    StableChunk second = stable.get(1);
    int last = second.length() - 1;
    second.bytes().put(last, (byte) (second.bytes().get(last) ^ 1));
    assertThatThrownBy(
            () ->
                new ChunkSorter(ROOMY)
                    .sortTogether(stable, ByteBuffer.allocateDirect(1 << 20), null))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("chunk=" + parts.get(1).id());
  }

  @Test
  void chunksOfTwoIfilesShouldBeRefused(Seed seed) {
    SplittableRandom random = seed.splittable();
    List<StableChunk> stable =
        List.of(chunk(random, CodecId.NONE, 2).stable(), chunk(random, CodecId.LZ4, 2).stable());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ChunkSorter.maxSortedLength(stable))
        .withMessageContaining("not of one I-file");
  }
}
