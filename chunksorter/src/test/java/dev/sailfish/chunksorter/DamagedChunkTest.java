package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.TruncatedFormatException;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
class DamagedChunkTest {
  private final ByteBuffer output = ByteBuffer.allocateDirect(1 << 20);
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(1 << 20, 16384));

  private static TestChunk chunk(SplittableRandom random, Ordering ordering, CodecId codec) {
    TestChunk chunk = new TestChunk(ordering, codec);
    for (int block = 0; block < 5; block++) {
      List<TestRecord> records = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        records.add(new TestRecord(TestBytes.text(random, 10), TestBytes.text(random, 50)));
      }
      chunk.append(10 + block, 20 + block, 30 + block, codec, records);
    }
    return chunk;
  }

  private SortResult finish(Ordering ordering, ByteBuffer in, int length) throws FormatException {
    return ordering == Ordering.NORMALIZED
        ? sorter.sort(in, length, output)
        : sorter.index(in, length, output);
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void aFlippedBitIsNamedWithItsBlock(Ordering ordering, Seed seed) {
    SplittableRandom random = seed.splittable();
    for (CodecId codec : CodecId.values()) {
      TestChunk chunk = chunk(random, ordering, codec);
      int block = random.nextInt(5);
      int stored = chunk.blocks().get(block).bytes().length - BlockHeader.LENGTH;
      int offset = chunk.offset(block);
      ByteBuffer in = chunk.buffer(0);
      flip(in, offset + BlockHeader.LENGTH + random.nextInt(stored), random);
      assertThatExceptionOfType(CorruptFormatException.class)
          .isThrownBy(() -> finish(ordering, in, chunk.length()))
          .withMessageContaining("chunk=" + TestChunk.CHUNK_ID)
          .withMessageContaining("offset=" + offset + " ")
          .withMessageContaining("map=" + (10 + block))
          .withMessageContaining("attempt=" + (20 + block))
          .withMessageContaining("sequence=" + (30 + block));
    }
  }

  private static void flip(ByteBuffer in, int offset, SplittableRandom random) {
    in.put(offset, (byte) (in.get(offset) ^ 1 << random.nextInt(8)));
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void anyFlippedBitIsAnError(Ordering ordering, Seed seed) {
    SplittableRandom random = seed.splittable();
    TestChunk chunk = chunk(random, ordering, CodecId.LZ4);
    for (int round = 0; round < 500; round++) {
      ByteBuffer in = chunk.buffer(0);
      flip(in, random.nextInt(chunk.length()), random);
      assertThatExceptionOfType(FormatException.class)
          .isThrownBy(() -> finish(ordering, in, chunk.length()));
    }
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void everyCutInsideABlockIsAnError(Ordering ordering, SplittableRandom random)
      throws FormatException {
    TestChunk chunk = chunk(random, ordering, CodecId.NONE);
    List<Integer> ends = new ArrayList<>();
    for (int block = 0; block < 5; block++) {
      ends.add(chunk.offset(block));
    }
    ByteBuffer in = chunk.buffer(0);
    for (int length = 0; length < chunk.length(); length++) {
      int cut = length;
      if (ends.contains(cut)) {
        assertThat(finish(ordering, in, cut).records()).isEqualTo(20L * ends.indexOf(cut));
      } else {
        assertThatExceptionOfType(TruncatedFormatException.class)
            .isThrownBy(() -> finish(ordering, in, cut));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void twoBlocksWithOneIdentityButDifferentBytesAreAnError(
      Ordering ordering, SplittableRandom random) {
    TestChunk chunk = chunk(random, ordering, CodecId.NONE);
    TestRecord other = new TestRecord(new byte[3], new byte[4]);
    chunk.append(11, 21, 31, CodecId.NONE, List.of(other));
    ByteBuffer in = chunk.buffer(0);
    assertThatExceptionOfType(CorruptFormatException.class)
        .isThrownBy(() -> finish(ordering, in, chunk.length()))
        .withMessageContaining("map=11 attempt=21 sequence=31")
        .withMessageContaining("other offset=" + chunk.offset(1));
  }

  @Test
  void recordsThatDoNotFillTheirBlockAreAnError() {
    // One record, {1, 1, key, value}; the block's header tells another story.
    byte[] record = {1, 1, 'k', 'v'};
    assertRefused(record, 2, "records=2 found=1");
    assertRefused(new byte[] {1, 1, 'k', 'v', 0, 0}, 1, "records=1 found=1");
    assertRefused(new byte[] {5, 1, 'k', 'v'}, 1, "record is malformed");
    assertRefused(new byte[] {(byte) 0x80, (byte) 0x80}, 1, "record is malformed");
  }

  private void assertRefused(byte[] raw, int records, String message) {
    ByteBuffer in = ByteBuffer.allocateDirect(ChunkHeader.LENGTH + BlockHeader.LENGTH + raw.length);
    new ChunkHeader("job", 0, 1, Ordering.NORMALIZED, CodecId.NONE).write(in);
    int checksum = Checksum.of(raw, 0, raw.length);
    new BlockHeader(CodecId.NONE, 0, 0, 3, 2, 1, records, raw.length, raw.length, checksum)
        .write(in, ChunkHeader.LENGTH);
    in.put(ChunkHeader.LENGTH + BlockHeader.LENGTH, raw);
    assertThatExceptionOfType(CorruptFormatException.class)
        .isThrownBy(() -> finish(Ordering.NORMALIZED, in, in.capacity()))
        .withMessageContaining("map=3 attempt=2 sequence=1")
        .withMessageContaining(message);
  }

  @Test
  void theSorterIsAsGoodAsNewAfterADamagedChunk(SplittableRandom random) throws FormatException {
    TestChunk chunk = chunk(random, Ordering.NORMALIZED, CodecId.ZSTD);
    ByteBuffer in = chunk.buffer(0);
    flip(in, chunk.length() - 1, random);
    assertThatExceptionOfType(CorruptFormatException.class)
        .isThrownBy(() -> finish(Ordering.NORMALIZED, in, chunk.length()));
    SortedChunk.of(sorter, chunk).check(chunk, 16384);
  }
}
