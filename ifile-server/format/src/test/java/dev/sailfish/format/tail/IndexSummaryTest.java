package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IndexSummaryTest {
  private static final long SEED = Long.getLong("sailfish.seed", System.nanoTime());
  private static final int ROUNDS = 300;

  private final Random random = new Random(SEED);

  IndexSummaryTest() {
    System.out.println("IndexSummaryTest seed=" + SEED);
  }

  private static BlockHeader block(int records, int rawLength) {
    return new BlockHeader(CodecId.NONE, 0, 0, 0, 0, 0, records, rawLength, rawLength, 0);
  }

  /** A tail with {@code blocksPerRun} blocks in its runs, their keys ascending. */
  private ChunkTail tail(Ordering ordering, boolean encrypted, int... blocksPerRun)
      throws FormatException {
    ChunkTailWriter writer = new ChunkTailWriter(ordering, encrypted);
    int offset = ChunkHeader.LENGTH;
    int keyBytes = 0;
    boolean comparator = ordering == Ordering.COMPARATOR;
    for (int run = 0; run < blocksPerRun.length; run++) {
      byte[] key = new byte[3 + random.nextInt(300)];
      int records = 0;
      int rawBytes = 0;
      for (int i = 0; i < blocksPerRun[run]; i++) {
        BlockHeader block = block(1 + random.nextInt(50), 100 + random.nextInt(70_000));
        key[0] = (byte) (comparator ? -i : i);
        boolean known = !comparator || random.nextInt(3) > 0;
        writer.addEntry(run, offset, block, key, known ? key.length : RunDescriptor.NO_KEY);
        keyBytes += Math.min(key.length, RunDescriptor.MAX_KEY_LENGTH);
        offset += block.blockLength();
        records += block.records();
        rawBytes += block.rawLength();
      }
      if (comparator) {
        writer.addSource(block(records, rawBytes));
      }
    }
    ByteBuffer chunk = ByteBuffer.allocate(offset + writer.length());
    byte[] keys = encrypted ? new byte[keyBytes + BlockHeader.ENCRYPTION_OVERHEAD] : null;
    writer.write(chunk, offset, keys);
    return ChunkTail.read(chunk, chunk.capacity());
  }

  /** Asks again and again, with {@code room} bytes for each answer. */
  private static IndexSummary summary(ChunkTail tail, long grain, int room) throws FormatException {
    List<IndexSummary> read = new ArrayList<>();
    int next = 0;
    do {
      ByteBuffer out = ByteBuffer.allocate(room);
      next = IndexSummary.write(tail, 7, next, grain, out);
      assertThat(out.position()).isPositive();
      IndexSummary.read(out.flip(), read);
    } while (next < tail.entries());
    assertThat(read).hasSize(1);
    assertThat(read.get(0).isComplete()).isTrue();
    assertThat(read.get(0).chunk()).isEqualTo(7);
    return read.get(0);
  }

  /** The whole structure against the index: exact sums, whole entries, first keys. */
  private static void check(ChunkTail tail, IndexSummary summary, long grain) {
    int entry = 0;
    for (IndexSummary.Entry sum : summary.entries()) {
      assertThat(sum.run()).isEqualTo(tail.entryRun(entry));
      assertThat(sum.key()).isEqualTo(tail.hasKeys() ? tail.entryKey(entry) : null);
      long records = 0;
      long bytes = 0;
      while (records < sum.records()) {
        assertThat(bytes).as("no coarser than asked for").isLessThan(Math.max(1, grain));
        assertThat(tail.entryRun(entry)).isEqualTo(sum.run());
        records += tail.entryRecords(entry);
        bytes += tail.entryRawLength(entry++);
      }
      assertThat(records).isEqualTo(sum.records());
      assertThat(bytes).isEqualTo(sum.rawBytes());
      boolean runEnds = entry == tail.entries() || tail.entryRun(entry) != sum.run();
      assertThat(runEnds || bytes >= grain).isTrue();
    }
    assertThat(entry).isEqualTo(tail.entries());
    assertThat(summary.records()).isEqualTo(tail.records());
    assertThat(summary.rawBytes()).isEqualTo(tail.rawBytes());
  }

  @Test
  void sumsAreExactAtEveryGrain() throws FormatException {
    for (int round = 0; round < ROUNDS; round++) {
      boolean comparator = random.nextInt(4) == 0;
      int[] runs = new int[1 + random.nextInt(comparator ? 100 : 4)];
      for (int run = 0; run < runs.length; run++) {
        runs[run] = 1 + random.nextInt(comparator ? 4 : 40);
      }
      boolean encrypted = !comparator && random.nextInt(3) == 0;
      ChunkTail tail =
          tail(comparator ? Ordering.COMPARATOR : Ordering.NORMALIZED, encrypted, runs);
      long grain = random.nextInt(4) == 0 ? 0 : random.nextInt(1 << 1 + random.nextInt(24));
      int room = IndexSummary.MIN_ROOM + random.nextInt(3000);
      check(tail, summary(tail, grain, room), grain);
    }
  }

  @Test
  void boundariesOfTheGrain() throws FormatException {
    ChunkTail tail = tail(Ordering.NORMALIZED, false, 5, 3);
    assertThat(summary(tail, 0, 10_000).entries()).hasSize(8);
    assertThat(summary(tail, 1, 10_000).entries()).as("finer than the index").hasSize(8);
    assertThat(summary(tail, tail.rawBytes() + 1, 10_000).entries()).as("per run").hasSize(2);
    assertThat(summary(tail, -1, 10_000).entries()).as("unsigned").hasSize(2);
    ChunkTail ofSources = tail(Ordering.COMPARATOR, false, 1, 1, 1);
    assertThat(summary(ofSources, tail.rawBytes() * 10, 10_000).entries()).hasSize(3);
    assertThat(summary(ofSources, 0, 10_000).entries()).hasSize(3);
  }

  @Test
  void anEmptyChunkHasNoEntries() throws FormatException {
    for (Ordering ordering : Ordering.values()) {
      IndexSummary summary = summary(tail(ordering, false), 100, IndexSummary.MIN_ROOM);
      assertThat(summary.entries()).isEmpty();
      assertThat(summary.records()).isZero();
      assertThat(summary.rawBytes()).isZero();
    }
  }

  @Test
  void oneHugeRecordIsOneEntry() throws FormatException {
    ChunkTailWriter writer = new ChunkTailWriter(Ordering.NORMALIZED);
    int length = 16 << 20;
    BlockHeader huge = block(1, length);
    writer.addEntry(0, ChunkHeader.LENGTH, huge, new byte[1000], 1000);
    int offset = ChunkHeader.LENGTH + huge.blockLength();
    ByteBuffer chunk = ByteBuffer.allocate(offset + writer.length());
    writer.write(chunk, offset);
    ChunkTail tail = ChunkTail.read(chunk, chunk.capacity());
    for (long grain : new long[] {0, 1000, length, Long.MAX_VALUE}) {
      IndexSummary summary = summary(tail, grain, IndexSummary.MIN_ROOM);
      assertThat(summary.entries()).hasSize(1);
      assertThat(summary.entries().get(0).rawBytes()).isEqualTo(length);
      assertThat(summary.entries().get(0).key()).hasSize(RunDescriptor.MAX_KEY_LENGTH);
    }
  }

  @Test
  void severalChunksAreInOneAnswer() throws FormatException {
    ByteBuffer out = ByteBuffer.allocate(100_000);
    List<ChunkTail> tails = new ArrayList<>();
    for (int chunk = 0; chunk < 5; chunk++) {
      ChunkTail tail = tail(Ordering.NORMALIZED, false, chunk);
      tails.add(tail);
      IndexSummary.write(tail, chunk, 0, 0, out);
    }
    List<IndexSummary> read = new ArrayList<>();
    IndexSummary.read(out.flip(), read);
    assertThat(read).hasSize(5);
    for (int chunk = 0; chunk < 5; chunk++) {
      assertThat(read.get(chunk).chunk()).isEqualTo(chunk);
      check(tails.get(chunk), read.get(chunk), 0);
    }
  }

  @Test
  void answersThatDoNotFollowEachOtherAreRefused() throws FormatException {
    ChunkTail tail = tail(Ordering.NORMALIZED, false, 20);
    ByteBuffer first = ByteBuffer.allocate(IndexSummary.MIN_ROOM);
    int next = IndexSummary.write(tail, 1, 0, 0, first);
    ByteBuffer second = ByteBuffer.allocate(IndexSummary.MIN_ROOM);
    IndexSummary.write(tail, 1, next, 0, second);
    first.flip();
    second.flip();
    assertThatThrownBy(() -> IndexSummary.read(second.duplicate(), new ArrayList<>()))
        .isInstanceOf(CorruptFormatException.class);
    List<IndexSummary> read = new ArrayList<>();
    IndexSummary.read(first.duplicate(), read);
    assertThatThrownBy(() -> IndexSummary.read(first.duplicate(), read))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("another chunk");
    IndexSummary.read(second.duplicate(), read);
    assertThatThrownBy(() -> IndexSummary.read(second.duplicate(), read))
        .isInstanceOf(CorruptFormatException.class)
        .hasMessageContaining("does not follow");
  }

  @Test
  void damagedAnswersAreRefusedOrInBounds() throws FormatException {
    ChunkTail tail = tail(Ordering.NORMALIZED, false, 12, 8);
    ByteBuffer out = ByteBuffer.allocate(20_000);
    IndexSummary.write(tail, 3, 0, 100_000, out);
    byte[] good = Arrays.copyOf(out.array(), out.position());
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bad =
          Arrays.copyOf(good, random.nextInt(3) == 0 ? random.nextInt(good.length) : good.length);
      for (int i = random.nextInt(4); i >= 0 && bad.length > 0; i--) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      List<IndexSummary> read = new ArrayList<>();
      try {
        IndexSummary.read(ByteBuffer.wrap(bad), read);
        for (IndexSummary summary : read) {
          long records = summary.entries().stream().mapToLong(IndexSummary.Entry::records).sum();
          assertThat(!summary.isComplete() || records == summary.records()).isTrue();
        }
      } catch (CorruptFormatException e) {
        refused++;
        assertThat(e).hasMessageContaining("index summary");
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }
}
