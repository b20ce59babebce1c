package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
class ChunkSorterTest {
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final SorterConfig ROOMY = new SorterConfig(256L << 20, BLOCK_BYTES);

  /** What keys of a chunk look like. */
  private enum Keys {
    BINARY,
    DIGITS,
    ASCII,
    FEW,
    SHORT_BINARY,
    ZEROS,
    LONG_PREFIX,
    SKEWED
  }

  private static byte[] key(Keys kind, SplittableRandom random) {
    return switch (kind) {
      case BINARY -> TestBytes.random(random, random.nextInt(0, 301));
      case DIGITS -> Integer.toString(random.nextInt(1_000_000)).getBytes();
      case ASCII -> TestBytes.text(random, 10);
      case FEW -> TestBytes.random(new SplittableRandom(random.nextInt(5)), 12);
      case SHORT_BINARY -> TestBytes.random(random, random.nextInt(0, 4));
      case ZEROS -> new byte[random.nextInt(0, 40)];
      case LONG_PREFIX -> longPrefix(random);
      case SKEWED -> TestBytes.random(random, TestBytes.skewedLength(random, 2000));
    };
  }

  private static byte[] longPrefix(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(60, 68)];
    java.util.Arrays.fill(key, 0, 60, (byte) 'p');
    for (int i = 60; i < key.length; i++) {
      key[i] = (byte) random.nextInt(3);
    }
    return key;
  }

  private static List<TestRecord> records(int count, Supplier<TestRecord> source) {
    List<TestRecord> records = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      records.add(source.get());
    }
    return records;
  }

  private static TestChunk randomChunk(SplittableRandom random, CodecId codec) {
    Keys kind = Keys.values()[random.nextInt(Keys.values().length)];
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
    int blocks = TestBytes.skewedLength(random, 200);
    boolean mixed = random.nextInt(3) == 0;
    for (int i = 0; i < blocks; i++) {
      int size = TestBytes.skewedLength(random, 300);
      Keys blockKind = mixed ? Keys.values()[random.nextInt(Keys.values().length)] : kind;
      CodecId blockCodec = mixed && random.nextBoolean() ? CodecId.NONE : codec;
      List<TestRecord> records =
          records(
              size,
              () ->
                  new TestRecord(
                      key(blockKind, random),
                      TestBytes.compressible(random, TestBytes.skewedLength(random, 500), 0.5)));
      chunk.append(i % 13, i % 2, i, blockCodec, records);
    }
    for (int i = 0; i < blocks / 10; i++) {
      chunk.appendAgain(random.nextInt(blocks));
    }
    return chunk;
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void sortsLikeTheReference(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    ChunkSorter sorter = new ChunkSorter(ROOMY);
    for (int round = 0; round < 30; round++) {
      TestChunk chunk = randomChunk(random, codec).shuffled(new Random(random.nextLong()));
      SortedChunk sorted = SortedChunk.of(sorter, chunk);
      sorted.check(chunk, BLOCK_BYTES);
      assertThat(sorted.tail.runs()).isLessThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void splitsIntoRunsWhenMemoryIsShort(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    boolean split = false;
    for (int round = 0; round < 20; round++) {
      long memory = codec == CodecId.NONE ? 10_000 : 200_000;
      ChunkSorter sorter = new ChunkSorter(new SorterConfig(memory, BLOCK_BYTES));
      TestChunk chunk = randomChunk(random, codec);
      SortedChunk sorted = SortedChunk.of(sorter, chunk);
      sorted.check(chunk, BLOCK_BYTES);
      split |= sorted.tail.runs() > 1;
    }
    assertThat(split).isTrue();
  }
}
