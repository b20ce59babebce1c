package dev.sailfish.chunksorter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.chunksorter.TestChunk.TestRecord;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
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
    Arrays.fill(key, 0, 60, (byte) 'p');
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

  /** Long enough for buckets, with records from a few bytes to more than a sorted block has. */
  @ParameterizedTest
  @EnumSource(Keys.class)
  void sortsTheSameWithBucketsAndWithout(Keys kind, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.NONE);
    for (int block = 0; chunk.length() < 6 << 20; block++) {
      int longest = random.nextInt(50) == 0 ? 2 * BLOCK_BYTES : 100;
      chunk.append(
          random.nextInt(200),
          0,
          block,
          CodecId.NONE,
          records(
              random.nextInt(600),
              () ->
                  new TestRecord(
                      key(kind, random),
                      TestBytes.random(random, TestBytes.skewedLength(random, longest)))));
    }
    long arrays = chunk.length();
    SortedChunk copied = SortedChunk.of(new ChunkSorter(ROOMY), chunk);
    copied.check(chunk, BLOCK_BYTES);
    SortedChunk inPlace =
        SortedChunk.of(new ChunkSorter(new SorterConfig(arrays, BLOCK_BYTES)), chunk);
    assertThat(inPlace.tail.runs()).isEqualTo(1);
    assertThat(Arrays.equals(inPlace.bytes(), copied.bytes())).as("the same bytes").isTrue();
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void splitsIntoRunsWhenMemoryIsShort(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    long memory = codec == CodecId.NONE ? 10_000 : 200_000;
    ChunkSorter sorter = new ChunkSorter(new SorterConfig(memory, BLOCK_BYTES));
    for (int round = 0; round < 20; round++) {
      TestChunk chunk = randomChunk(random, codec);
      SortedChunk.of(sorter, chunk).check(chunk, BLOCK_BYTES);
    }
    TestChunk chunk = longChunk(random, codec);
    SortedChunk sorted = SortedChunk.of(sorter, chunk);
    sorted.check(chunk, BLOCK_BYTES);
    assertThat(sorted.tail.runs()).isGreaterThan(1);
  }

  /** 40 blocks of 100 records of more than 100 bytes, whatever the seed. */
  private static TestChunk longChunk(SplittableRandom random, CodecId codec) {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
    for (int block = 0; block < 40; block++) {
      chunk.append(
          block,
          0,
          0,
          codec,
          records(
              100, () -> new TestRecord(key(Keys.DIGITS, random), TestBytes.random(random, 100))));
    }
    return chunk;
  }

  @Test
  void anEmptyChunkHasNoRun() throws FormatException {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.LZ4);
    SortedChunk sorted = SortedChunk.of(new ChunkSorter(ROOMY), chunk);
    sorted.check(chunk, BLOCK_BYTES);
    assertThat(sorted.result).isEqualTo(new SortResult(sorted.result.length(), 128, 0, 0, 0));
  }

  @Test
  void blocksWithoutRecordsAreSourcesOnly() throws FormatException {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.NONE);
    chunk.append(1, 0, 0, CodecId.NONE, List.of()).append(0, 0, 0, CodecId.NONE, List.of());
    SortedChunk sorted = SortedChunk.of(new ChunkSorter(ROOMY), chunk);
    sorted.check(chunk, BLOCK_BYTES);
    assertThat(sorted.tail.sources()).isEqualTo(2);
    assertThat(sorted.tail.entries()).isZero();
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void aRecordOfTwentyMegabytesIsABlock(CodecId codec, SplittableRandom random)
      throws FormatException {
    TestRecord large = new TestRecord(new byte[] {5}, TestBytes.random(random, 20 << 20));
    TestRecord small = new TestRecord(new byte[] {5}, TestBytes.random(random, 100));
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
    chunk.append(0, 0, 0, codec, List.of(small, large, small));
    SortedChunk sorted = SortedChunk.of(new ChunkSorter(new SorterConfig(1000, 65536)), chunk);
    sorted.check(chunk, 65536);
    assertThat(sorted.tail.entries()).isEqualTo(3);
  }

  @Test
  void keysOfOneMegabyteAreCutInTheIndex(SplittableRandom random) throws FormatException {
    byte[] key = TestBytes.random(random, 1 << 20);
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      byte[] other = key.clone();
      other[other.length - 1 - i / 3] ^= (byte) (1 << random.nextInt(8));
      records.add(new TestRecord(other, new byte[i]));
    }
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.NONE);
    chunk.append(0, 0, 0, CodecId.NONE, records).append(0, 0, 1, CodecId.ZSTD, records);
    SortedChunk.of(new ChunkSorter(ROOMY), chunk).check(chunk, BLOCK_BYTES);
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void sameBlocksInAnyOrderGiveTheSameBytes(CodecId codec, Seed seed) throws FormatException {
    SplittableRandom random = seed.splittable();
    for (SorterConfig config : List.of(ROOMY, new SorterConfig(100_000, BLOCK_BYTES))) {
      TestChunk chunk = randomChunk(random, codec);
      byte[] first = SortedChunk.of(new ChunkSorter(config), chunk).bytes();
      ChunkSorter used = new ChunkSorter(config);
      SortedChunk.of(used, randomChunk(random, codec));
      for (int i = 0; i < 3; i++) {
        TestChunk other = chunk.shuffled(new Random(random.nextLong()));
        assertThat(SortedChunk.of(used, other).bytes()).isEqualTo(first);
      }
    }
  }

  @Test
  void boundHoldsForManyTinyBlocks(SplittableRandom random) throws FormatException {
    for (CodecId codec : CodecId.values()) {
      TestChunk chunk = new TestChunk(Ordering.NORMALIZED, codec);
      for (int i = 0; i < 2000; i++) {
        byte[] key = TestBytes.random(random, 300);
        chunk.append(i, 0, 0, CodecId.NONE, List.of(new TestRecord(key, new byte[0])));
      }
      SortedChunk sorted = SortedChunk.of(new ChunkSorter(new SorterConfig(1, BLOCK_BYTES)), chunk);
      assertThat(sorted.tail.runs()).isEqualTo(2000);
      sorted.check(chunk, BLOCK_BYTES);
    }
  }

  @Test
  void positionLimitAndOrderOfTheBuffersDoNotMatter(Seed seed) throws FormatException {
    TestChunk chunk = randomChunk(seed.splittable(), CodecId.LZ4);
    SortedChunk expected = SortedChunk.of(new ChunkSorter(ROOMY), chunk);
    ByteBuffer in = chunk.buffer(0).order(ByteOrder.LITTLE_ENDIAN).limit(10).position(3);
    int bound = (int) ChunkSorter.maxSortedLength(in, chunk.length());
    ByteBuffer out = ByteBuffer.allocateDirect(bound).order(ByteOrder.LITTLE_ENDIAN).limit(5);
    SortResult result = new ChunkSorter(ROOMY).sort(in, chunk.length(), out);
    assertThat(result).isEqualTo(expected.result);
    assertThat(out.limit(result.length()).position(0)).isEqualTo(ByteBuffer.wrap(expected.bytes()));
  }

  @Test
  void refusesAnOutputThatIsTooSmall() throws FormatException {
    TestChunk chunk = new TestChunk(Ordering.NORMALIZED, CodecId.NONE);
    ByteBuffer in = chunk.buffer(0);
    int bound = (int) ChunkSorter.maxSortedLength(in, chunk.length());
    ByteBuffer out = ByteBuffer.allocateDirect(bound - 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ChunkSorter(ROOMY).sort(in, chunk.length(), out))
        .withMessageContaining("capacity=" + (bound - 1))
        .withMessageContaining("needed=" + bound);
  }

  @Test
  void refusesAChunkOfAnotherOrdering() {
    TestChunk chunk = new TestChunk(Ordering.COMPARATOR, CodecId.NONE);
    ByteBuffer in = chunk.buffer(1000);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ChunkSorter(ROOMY).sort(in, chunk.length(), in))
        .withMessageContaining("ordering=COMPARATOR");
  }

  @Test
  void refusesLimitsThatCannotBeKept() {
    assertThatIllegalArgumentException().isThrownBy(() -> new SorterConfig(0, BLOCK_BYTES));
    assertThatIllegalArgumentException().isThrownBy(() -> new SorterConfig(1, BLOCK_BYTES - 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new SorterConfig(1, 65537));
  }
}
