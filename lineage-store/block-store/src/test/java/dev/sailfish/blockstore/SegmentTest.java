package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SegmentTest {
  @TempDir Path root;
  private StoreFixture fixture;
  private Owner store;

  @BeforeEach
  void open() throws IOException {
    fixture = StoreFixture.open(root, 16 * STEP, 16 * STEP);
    store = fixture.store();
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  @Test
  void shouldShowItsBytesThroughBufferAndChannel() throws IOException {
    for (Tier tier : StoreFixture.TIERS) {
      Segment segment = store.allocate("s-" + tier, 3 * STEP, 0, tier);
      assertThat(segment.ensure(2 * STEP)).isTrue();
      ByteBuffer buffer = segment.buffer();
      assertThat(buffer.isDirect()).isTrue();
      assertThat(buffer.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
      assertThat(buffer.capacity()).isEqualTo(3 * STEP);
      buffer.position(STEP).putLong(0x0102030405060708L);
      assertThat(segment.buffer().position()).isZero();

      ByteBuffer read = ByteBuffer.allocate(8);
      segment.channel().read(read, STEP);
      assertThat(read.getLong(0)).isEqualTo(0x0102030405060708L);
      assertThat(segment.channel()).isSameAs(segment.channel());
    }
  }

  @Test
  void shouldOpenTheChannelAgainAfterAnInterrupt() throws IOException {
    Segment segment = store.allocate("s", STEP, 0, Tier.MEMORY);
    FileChannel channel = segment.channel();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 0))
        .isInstanceOf(IOException.class);
    assertThat(segment.ensure(STEP)).as("growing is not interruptible").isTrue();
    assertThat(store.allocate("t", STEP, 0, Tier.MEMORY).ensure(STEP)).isTrue();
    assertThat(Thread.interrupted()).as("the interrupt is still there").isTrue();
    assertThat(segment.channel().read(ByteBuffer.allocate(1), 0)).isEqualTo(1);
  }

  @Test
  void shouldGiveBackWhatTheSealDoesNotNeed() throws IOException {
    Segment segment = store.allocate("s", 8 * STEP, 0, Tier.MEMORY);
    assertThat(segment.ensure(8 * STEP)).isTrue();
    segment.seal(4097);
    assertThat(segment.isSealed()).isTrue();
    assertThat(segment.length()).isEqualTo(4097);
    assertThat(segment.buffer().capacity()).isEqualTo(4097);
    assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(8192);
    assertThat(StoreFixture.fileNames(fixture.memory))
        .containsExactly("s@chunkserver+seal-4097-none");
    assertThat(StoreFixture.fileBytes(fixture.memory)).isEqualTo(8192);
    assertThat(segment.ensure(4097)).isTrue();
    assertThatThrownBy(() -> segment.ensure(4098)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> segment.seal(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldKeepTheRoomThatItClaimed() throws IOException {
    Segment claiming = store.allocate("claiming", 10 * STEP, 0, Tier.MEMORY);
    assertThat(claiming.claim(10 * STEP)).isTrue();
    assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(10 * STEP);
    assertThat(StoreFixture.fileBytes(fixture.memory)).isEqualTo(STEP);
    Segment other = store.allocate("other", 10 * STEP, 0, Tier.MEMORY);
    assertThat(other.ensure(7 * STEP)).isFalse();
    assertThat(other.ensure(6 * STEP)).isTrue();
    assertThat(store.allocate("another", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.DISK);
    assertThat(claiming.ensure(4 * STEP)).isTrue();
    assertThat(claiming.ensure(10 * STEP)).isTrue();
    assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(16 * STEP);
  }

  @Test
  void shouldGiveBackWhatItClaimed() throws IOException {
    Segment first = store.allocate("first", 12 * STEP, 0, Tier.MEMORY);
    Segment second = store.allocate("second", 12 * STEP, 0, Tier.MEMORY);
    assertThat(first.claim(12 * STEP)).isTrue();
    assertThat(second.claim(5 * STEP)).isFalse();
    assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(13 * STEP);
    first.unclaim();
    assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(2 * STEP);
    assertThat(second.claim(12 * STEP)).isTrue();
    second.seal(100);
    second.unclaim();
    assertThat(first.claim(12 * STEP)).isTrue();
    first.delete();
    assertThat(fixture.usage(fixture.memory).usedBytes()).isLessThan(STEP);
    assertThatThrownBy(() -> second.claim(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldSealEmpty() throws Exception {
    Segment segment = store.allocate("s", STEP, 0, Tier.DISK);
    segment.sealWithChecksum(0);
    segment.verify();
    assertThat(segment.buffer().capacity()).isZero();
    assertThat(fixture.usage(fixture.disks.get(0)).usedBytes()).isZero();
  }

  @Test
  void shouldRefuseLengthsOutOfRange() throws IOException {
    Segment segment = store.allocate("s", 2 * STEP, 0, Tier.MEMORY);
    assertThatThrownBy(() -> segment.ensure(2 * STEP + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("length=131073", "[0, 131072]");
    assertThatThrownBy(() -> segment.seal(STEP + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("length=65537", "[0, 65536]");
    assertThatThrownBy(() -> segment.sealWithChecksum(STEP + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(segment.isSealed()).isFalse();
  }

  @Test
  void shouldFindThatItsContentHasChanged() throws Exception {
    Segment segment = store.allocate("s", STEP, 0, Tier.MEMORY);
    segment.buffer().put(100, "sailfish".getBytes(StandardCharsets.US_ASCII));
    segment.sealWithChecksum(200);
    CRC32C crc = new CRC32C();
    crc.update(segment.buffer());
    assertThat(segment.path())
        .hasFileName(String.format("s@chunkserver+seal-200-%08x", (int) crc.getValue()));
    segment.verify();
    segment.buffer().put(7, (byte) 1);
    assertThatThrownBy(segment::verify)
        .isInstanceOf(DamagedSegmentException.class)
        .hasMessageContainingAll("name=s", "expectedCrc32c=", "actualCrc32c=");
  }

  @Test
  void shouldKeepItsMemoryWhileAReaderHoldsIt() throws IOException {
    for (Tier tier : StoreFixture.TIERS) {
      Segment segment = store.allocate("s", STEP, 0, tier);
      segment.buffer().putInt(0, 42);
      segment.seal(4);
      segment.retain();
      assertThat(segment.delete()).isTrue();
      assertThat(segment.delete()).isFalse();
      assertThat(store.find("s")).isEmpty();
      assertThat(segment.buffer().getInt(0)).isEqualTo(42);
      ByteBuffer read = ByteBuffer.allocate(4);
      segment.channel().read(read, 0);
      assertThat(read.getInt(0)).isEqualTo(42);
      assertThat(store.usage().usedBytes(tier)).isPositive();
      segment.release();
      assertThat(store.usage().usedBytes(tier)).isZero();
      assertGone(segment);
    }
  }

  private static void assertGone(Segment segment) {
    assertThat(segment.tryRetain()).isFalse();
    assertThatThrownBy(segment::retain).isInstanceOf(SegmentDeletedException.class);
    assertThatThrownBy(segment::release).isInstanceOf(SegmentDeletedException.class);
    assertThatThrownBy(segment::buffer).isInstanceOf(SegmentDeletedException.class);
    assertThatThrownBy(segment::channel).isInstanceOf(SegmentDeletedException.class);
    assertThatThrownBy(() -> segment.ensure(segment.capacity() + 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldKeepReadersMemoryBeyondTheStore() throws IOException {
    Segment open = store.allocate("open", STEP, 0, Tier.MEMORY);
    Segment sealed = store.allocate("sealed", STEP, 0, Tier.MEMORY);
    for (Segment segment : List.of(open, sealed)) {
      segment.buffer().putInt(0, 42);
      segment.retain();
    }
    sealed.seal(4);
    fixture.blockStore().close();
    assertThat(StoreFixture.fileNames(fixture.memory))
        .containsExactly("open@chunkserver", "sealed@chunkserver+seal-4-none");
    fixture.reopen();
    for (Segment segment : List.of(open, sealed)) {
      assertThat(segment.buffer().getInt(0)).isEqualTo(42);
      segment.release();
      assertGone(segment);
    }
    assertThat(fixture.store().names()).containsExactly("open", "sealed");
    assertThat(StoreFixture.fileNames(fixture.memory))
        .containsExactly("open@chunkserver", "sealed@chunkserver+seal-4-none");
  }

  @Test
  void shouldNotRemoveAnotherStoresFileAfterTheStoreClosed() throws IOException {
    Segment segment = store.allocate("open", STEP, 0, Tier.MEMORY);
    segment.retain();
    segment.delete();
    fixture.blockStore().close();
    Path freed = segment.path();
    assertThat(freed).doesNotExist();
    Files.createDirectories(freed.getParent());
    Files.writeString(freed, "of the next store");
    segment.release();
    assertThat(freed).hasContent("of the next store");
  }

  @Test
  void shouldNeverShowAReaderAnotherSegmentsBytes() throws Exception {
    int rounds = 300;
    ExecutorService readers = Executors.newFixedThreadPool(3);
    try {
      for (int round = 0; round < rounds; round++) {
        readWhileDeleting(readers, round);
      }
    } finally {
      readers.shutdownNow();
    }
    StoreUsage.DirectoryUsage usage = fixture.usage(fixture.memory);
    assertThat(usage.reuseCount()).isPositive();
    assertThat(usage.usedBytes()).isZero();
    assertThat(usage.segmentsLive()).isZero();
  }

  private void readWhileDeleting(ExecutorService readers, int round) throws Exception {
    Segment segment = store.allocate("s" + round, STEP, 0, Tier.MEMORY);
    fill(segment, round);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<Integer>> results = new ArrayList<>();
    for (int reader = 0; reader < 3; reader++) {
      results.add(readers.submit(() -> readUntilGone(segment, start, round)));
    }
    start.countDown();
    segment.delete();
    Segment next = store.allocate("next" + round, STEP, 0, Tier.MEMORY);
    fill(next, -1);
    for (Future<Integer> result : results) {
      assertThat(result.get(20, TimeUnit.SECONDS)).isNotNegative();
    }
    next.delete();
  }

  private static void fill(Segment segment, int value) {
    ByteBuffer buffer = segment.buffer();
    while (buffer.hasRemaining()) {
      buffer.putInt(value);
    }
  }

  private static int readUntilGone(Segment segment, CountDownLatch start, int value)
      throws InterruptedException {
    assertThat(start.await(20, TimeUnit.SECONDS)).isTrue();
    int reads = 0;
    while (segment.tryRetain()) {
      try {
        ByteBuffer buffer = segment.buffer();
        while (buffer.hasRemaining()) {
          assertThat(buffer.getInt() == value).as("round %d", value).isTrue();
        }
        reads++;
      } finally {
        segment.release();
      }
    }
    return reads;
  }
}
