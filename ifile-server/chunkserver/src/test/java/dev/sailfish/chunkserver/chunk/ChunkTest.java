package dev.sailfish.chunkserver.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.TestBlock;
import dev.sailfish.chunkserver.TestStore;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chunk's states, one test per arrow, without threads and sockets. */
@Seeded
class ChunkTest {
  private static final long CHUNK_BYTES = 100_000;
  private static final SortPlace PLACE = new SortPlace(1, 2, 3, 4);

  @TempDir private Path directory;
  private TestStore testStore;
  private Owner store;
  private final Metrics<ChunkserverMetric> metrics = new Metrics<>(ChunkserverMetric.class);
  private final List<Chunk> stable = new ArrayList<>();
  private final JobChunks job = new JobChunks("job");
  private Chunk chunk;
  private long cpuNs; // each look at it has used some more
  private SplittableRandom random;
  private int nextSequence;
  private int awaited;
  private SortPlace place = PLACE;

  private final SortScheduler sorts =
      new SortScheduler() {
        @Override
        public void schedule(Chunk wantsSort) {
          stable.add(wantsSort);
        }

        @Override
        public void together(Runnable closing) {
          closing.run();
        }

        @Override
        public void await(Chunk chunk) {
          awaited++;
        }

        @Override
        public void retry() {}

        @Override
        public SortPlace placeOf(Chunk chunk) {
          return place;
        }
      };

  /** Keeps its one answer. */
  private static final class Waiter implements ChunkWaiter {
    private SortedFile sorted;
    private Status refused;
    private String notSorted;
    private boolean putOff;

    @Override
    public void sorted(SortedFile answer) {
      assertThat(isAnswered()).isFalse();
      sorted = answer;
    }

    @Override
    public void refused(Status status, String message) {
      assertThat(isAnswered()).isFalse();
      refused = status;
    }

    @Override
    public void notSorted(String detail, boolean isPutOff, SortPlace place) {
      assertThat(place).isEqualTo(isPutOff ? null : PLACE);
      assertThat(isAnswered()).isFalse();
      notSorted = detail;
      putOff = isPutOff;
    }

    boolean isAnswered() {
      return sorted != null || refused != null || notSorted != null;
    }
  }

  @BeforeEach
  void open(SplittableRandom seeded) throws IOException {
    random = seeded;
    testStore = new TestStore(directory, 64 << 20, BlockStoreConfig.DEFAULT_GROWTH_BYTES);
    store = testStore.chunks();
    chunk = new Chunk(spec(1), job, context(new HeldHeap(64 << 20)));
  }

  private ChunkContext context(HeldHeap heldHeap) {
    return new ChunkContext(
        store, sorts, metrics, heldHeap, changed -> {}, () -> cpuNs += 7_000_000);
  }

  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    chunk.delete();
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
    testStore.close();
  }

  private static ChunkSpec spec(long id) {
    return new ChunkSpec("job", id, 0, Ordering.NORMALIZED, CodecId.NONE, CHUNK_BYTES, false);
  }

  private TestBlock block(int bytes) {
    TestBlock.Source source = new TestBlock.Source(0, 1, 0, nextSequence++);
    return TestBlock.random(random, source, CodecId.NONE, bytes);
  }

  private Reservation arriving(TestBlock block) throws RequestRefusedException {
    return chunk.reserve(block.header());
  }

  private static void arrive(Reservation reservation, TestBlock block) {
    int start = block.bytes().length - block.header().storedLength();
    reservation.write(ByteBuffer.wrap(block.bytes(), start, block.header().storedLength()));
    assertThat(reservation.isComplete()).isTrue();
    assertThat(reservation.checksum()).isEqualTo(block.header().storedChecksum());
  }

  private void append(TestBlock block) throws RequestRefusedException {
    Reservation reservation = arriving(block);
    arrive(reservation, block);
    assertThat(chunk.complete(reservation)).isTrue();
  }

  private Waiter await() throws RequestRefusedException {
    Waiter waiter = new Waiter();
    chunk.await(waiter);
    return waiter;
  }

  private SortResult sort() throws IOException {
    Chunk.Unsorted unsorted = chunk.beginSort();
    try {
      ByteBuffer bytes = unsorted.segment().buffer();
      long bound = ChunkSorter.maxSortedLength(bytes, unsorted.length());
      Segment output = store.allocate("sorted", bound, bound, Tier.MEMORY);
      SortResult result =
          new ChunkSorter(new SorterConfig(1 << 20, 1 << 16))
              .sort(bytes, unsorted.length(), output.buffer());
      chunk.endSort(output, result, null);
      return result;
    } finally {
      unsorted.segment().release();
    }
  }

  private static void assertRefused(Status status, Call call) {
    RequestRefusedException refusal =
        catchThrowableOfType(RequestRefusedException.class, call::run);
    assertThat(refusal.status()).isEqualTo(status);
  }

  private interface Call {
    void run() throws Exception;
  }

  @Test
  void openToStableWhenABlockDoesNotFit() throws RequestRefusedException {
    TestBlock block = block(60_000);
    append(block);
    assertThat(chunk.state()).isEqualTo(ChunkState.OPEN);
    assertRefused(Status.CHUNK_FULL, () -> arriving(block(60_000)));
    assertThat(chunk.state()).isEqualTo(ChunkState.STABLE);
    assertThat(stable).containsExactly(chunk);
    assertRefused(Status.CHUNK_FULL, () -> arriving(block(10)));
    assertThat(metrics.get(ChunkserverMetric.SEEKS)).isOne();
    assertThat(metrics.get(ChunkserverMetric.FULL_CHUNK_RAW_BYTES))
        .isEqualTo(block.header().rawLength());
  }

  /** The least block: one record without key and value. */
  private static BlockHeader tiny(int map) {
    int checksum = Checksum.of(new byte[2], 0, 2);
    return new BlockHeader(CodecId.NONE, 0, 0, map, 0, 0, 1, 2, 2, checksum);
  }

  private static void append(Chunk to, BlockHeader block) throws RequestRefusedException {
    Reservation reservation = to.reserve(block);
    reservation.write(ByteBuffer.allocate(block.storedLength()));
    assertThat(to.complete(reservation)).isTrue();
  }

  /** What is kept of a block on the heap is longer than the least block. */
  @Test
  void aChunkHasNoMoreBlocksThanOthersCanKeep() throws RequestRefusedException {
    ChunkSpec large =
        new ChunkSpec("job", 2, 0, Ordering.NORMALIZED, CodecId.NONE, 16 << 20, false);
    Chunk full = new Chunk(large, job, context(new HeldHeap(64 << 20)));
    for (int map = 0; map < ChunkSpec.MAX_BLOCKS; map++) {
      append(full, tiny(map));
    }
    assertThat(full.state()).isEqualTo(ChunkState.OPEN);
    assertRefused(Status.CHUNK_FULL, () -> full.reserve(tiny(ChunkSpec.MAX_BLOCKS)));
    assertThat(stable).containsExactly(full);
    assertThat(full.reserve(tiny(7))).as("held already").isNull();
    assertThat(job.expectedChunkBytes()).isLessThan(16 << 20);
    full.delete();
  }

  /** Only the block's header says how much there is to sort. */
  @Test
  void theRoomForASortIsInProportionToWhatComes() throws RequestRefusedException {
    ChunkSpec large = new ChunkSpec("job", 2, 0, Ordering.NORMALIZED, CodecId.LZ4, 1L << 30, false);
    Chunk claiming = new Chunk(large, job, context(new HeldHeap(64 << 20)));
    int rawBytes = 32 << 20;
    List<Reservation> reservations = new ArrayList<>();
    for (int map = 0; map < 4; map++) {
      reservations.add(
          claiming.reserve(
              new BlockHeader(CodecId.LZ4, 0, 0, map, 0, 0, rawBytes / 2, rawBytes, 1, 0)));
    }
    assertThat(store.usage().usedBytes(Tier.MEMORY))
        .isEqualTo(BlockStoreConfig.DEFAULT_GROWTH_BYTES);
    assertThat(large.sortRoom(1, 1000, 12_000, 12_200))
        .as("of records that are stored as they are")
        .isGreaterThan(1000);
    claiming.delete();
    reservations.forEach(claiming::abandon);
  }

  @Test
  void theBlocksOfAllChunksTakeAPartOfTheHeapAtMost() throws RequestRefusedException {
    ChunkContext small = context(new HeldHeap(3 * HeldBlocks.ENTRY_BYTES));
    Chunk first = new Chunk(spec(2), job, small);
    Chunk second = new Chunk(spec(3), job, small);
    append(first, tiny(0));
    append(first, tiny(1));
    append(second, tiny(0));
    assertRefused(Status.NO_SPACE, () -> first.reserve(tiny(2)));
    assertRefused(Status.NO_SPACE, () -> second.reserve(tiny(1)));
    assertThat(first.reserve(tiny(1))).as("held already").isNull();
    first.delete();
    append(second, tiny(1));
    append(second, tiny(2));
    assertRefused(Status.NO_SPACE, () -> second.reserve(tiny(3)));
    second.delete();
  }

  @Test
  void readsThatFollowEachOtherShouldSeekOnce() {
    assertThat(chunk.seeksTo(64, 100)).isTrue();
    assertThat(chunk.seeksTo(164, 50)).isFalse();
    assertThat(chunk.seeksTo(300, 10)).isTrue();
    assertThat(chunk.seeksTo(64, 100)).isTrue();
  }

  @Test
  void openToStableWhenAReaderWaits() throws RequestRefusedException {
    append(block(10));
    Waiter waiter = await();
    assertThat(chunk.state()).isEqualTo(ChunkState.STABLE);
    assertThat(stable).containsExactly(chunk);
    assertThat(waiter.isAnswered()).isFalse();
  }

  @Test
  void openToStableOnlyWhenAllBlocksHaveArrived() throws Exception {
    TestBlock first = block(1000);
    TestBlock second = block(1000);
    TestBlock third = block(1000);
    Reservation one = arriving(first);
    Reservation two = arriving(second);
    Reservation three = arriving(third);
    Waiter waiter = await();
    assertRefused(Status.CHUNK_FULL, () -> arriving(block(10)));
    arrive(three, third);
    assertThat(chunk.complete(three)).isTrue();
    arrive(one, first);
    assertThat(chunk.complete(one)).isTrue();
    assertThat(chunk.state()).isEqualTo(ChunkState.OPEN);
    chunk.abandon(two);
    assertThat(chunk.state()).isEqualTo(ChunkState.STABLE);
    assertThat(sort().records()).isEqualTo(first.records().size() + third.records().size());
    waiter.sorted.segment().release();
  }

  @Test
  void stableToSortedAnswersWhoWaits() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    assertThat(chunk.report().getSortCpuUs()).isZero();
    sort();
    assertThat(chunk.state()).isEqualTo(ChunkState.SORTED);
    assertThat(chunk.report().getSortCpuUs()).isEqualTo(7_000);
    assertThat(waiter.sorted.length()).isGreaterThan(waiter.sorted.tailOffset());
    waiter.sorted.segment().release();
    Waiter late = await();
    late.sorted.segment().release();
    assertThat(chunk.beginSort()).isNull();
  }

  @Test
  void stableToLost() throws RequestRefusedException {
    append(block(1000));
    Waiter waiter = await();
    chunk.lose("for a test");
    assertThat(chunk.state()).isEqualTo(ChunkState.LOST);
    assertThat(waiter.refused).isEqualTo(Status.CHUNK_LOST);
    assertThat(chunk.beginSort()).isNull();
    assertRefused(Status.CHUNK_LOST, this::await);
    assertRefused(Status.CHUNK_LOST, () -> arriving(block(10)));
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
  }

  @Test
  void openToLostWhileABlockArrives() throws RequestRefusedException {
    TestBlock block = block(1000);
    Reservation reservation = arriving(block);
    chunk.lose("for a test");
    arrive(reservation, block);
    assertRefused(Status.CHUNK_LOST, () -> chunk.complete(reservation));
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
  }

  @Test
  void sortedToLost() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    sort();
    chunk.lose("for a test");
    assertRefused(Status.CHUNK_LOST, () -> chunk.read());
    waiter.sorted.segment().release();
  }

  @Test
  void lostIsFinal() throws Exception {
    append(block(1000));
    await();
    Chunk.Unsorted unsorted = chunk.beginSort();
    chunk.lose("for a test");
    Segment output = store.allocate("sorted", 100, 0, Tier.MEMORY);
    assertThat(chunk.endSort(output, new SortResult(100, 50, 1, 1, 1), null)).isFalse();
    chunk.lose("again");
    assertThat(chunk.state()).isEqualTo(ChunkState.LOST);
    unsorted.segment().release();
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
  }

  @Test
  void deletedWhileABlockArrives() throws RequestRefusedException {
    TestBlock block = block(1000);
    Reservation reservation = arriving(block);
    job.delete();
    chunk.delete();
    assertThat(store.usage().usedBytes(Tier.MEMORY)).as("still written to").isPositive();
    arrive(reservation, block);
    assertRefused(Status.JOB_UNKNOWN, () -> chunk.complete(reservation));
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
    assertRefused(Status.JOB_UNKNOWN, () -> arriving(block));
  }

  @Test
  void deletedWhileItIsSortedAndRead() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    Chunk.Unsorted unsorted = chunk.beginSort();
    job.delete();
    chunk.delete();
    assertThat(waiter.refused).isEqualTo(Status.JOB_UNKNOWN);
    Segment output = store.allocate("sorted", 100, 0, Tier.MEMORY);
    assertThat(chunk.endSort(output, new SortResult(100, 50, 1, 1, 1), null)).isFalse();
    unsorted.segment().release();
    assertThat(store.usage().usedBytes(Tier.MEMORY)).isZero();
  }

  @Test
  void deletedWhileItIsRead() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    sort();
    chunk.delete();
    assertThat(waiter.sorted.segment().buffer().get(0)).isEqualTo((byte) 'S');
    waiter.sorted.segment().release();
    assertRefused(Status.CHUNK_UNKNOWN, () -> chunk.read());
  }

  @Test
  void aBlockThatArrivesTwiceAtATimeIsKeptOnce() throws Exception {
    TestBlock block = block(1000);
    Reservation one = arriving(block);
    Reservation two = arriving(block);
    TestBlock behind = block(1000);
    append(behind);
    arrive(two, block);
    assertThat(chunk.complete(two)).isTrue();
    arrive(one, block);
    assertThat(chunk.complete(one)).as("a second copy").isFalse();
    assertThat(arriving(block)).as("held already").isNull();
    Waiter waiter = await();
    assertThat(sort().records()).isEqualTo(block.records().size() + behind.records().size());
    waiter.sorted.segment().release();
  }

  @Test
  void theLastRoomIsGivenBackWhenItsBlockDoesNotArrive() throws Exception {
    append(block(60_000));
    chunk.abandon(arriving(block(30_000)));
    append(block(30_000));
    assertRefused(Status.CHUNK_FULL, () -> arriving(block(30_000)));
  }

  @Test
  void aWaitEndsAtItsDeadline() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    assertThat(awaited).isEqualTo(1);
    chunk.expire(waiter);
    assertThat(waiter.notSorted).contains("is not sorted yet: state=STABLE");
    assertThat(waiter.putOff).isFalse();
    chunk.expire(waiter);
    Waiter later = await();
    chunk.delaySort("no room");
    place = null;
    chunk.expire(later);
    assertThat(later.notSorted).contains("no room");
    assertThat(later.putOff).isTrue();
    sort();
    assertThat(waiter.sorted).isNull();
  }

  /** Its readers have patience with a sort that advances, and with none that is put off. */
  @Test
  void aSortThatWasPutOffIsNotPutOffWhenItIsInTheQueueAgain() throws Exception {
    append(block(1000));
    Waiter waiter = await();
    chunk.delaySort("no room");
    chunk.expire(waiter);
    assertThat(waiter.notSorted).doesNotContain("no room");
    assertThat(waiter.putOff).isFalse();
  }

  @Test
  void aChunkThatNeverGotABlockIsUnknown() {
    assertRefused(Status.CHUNK_UNKNOWN, this::await);
    assertThat(chunk.isReportable()).isFalse();
  }
}
