package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that is made ready before somebody wants it. */
class WarmAheadTest {
  private static final int CAPACITY = 64 * STEP;
  private static final int WARM = 16 * STEP;
  private static final Duration IDLE = Duration.ofSeconds(60);

  @TempDir Path temporary;
  private final AtomicLong nanos = new AtomicLong();
  private Path root;
  private BlockStore store;
  private Owner owner;

  @BeforeEach
  void open() throws IOException {
    root = StoreFixture.memoryRoot(temporary);
    open(CAPACITY, WARM);
  }

  private void open(long capacity, long warm) throws IOException {
    Directory memory = new Directory(root.resolve("memory"), capacity);
    store =
        BlockStore.open(
            new BlockStoreConfig(
                List.of(StoreFixture.tier(Tier.MEMORY, List.of(memory))),
                List.of(new OwnerConfig("worker", Map.of())),
                STEP,
                IDLE,
                warm),
            nanos::get);
    owner = store.owner("worker");
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    StoreFixture.removeTree(root);
  }

  private Segment lend(String name, long claimed) throws NoSpaceException {
    return owner.lend(name, CAPACITY, claimed, Tier.MEMORY);
  }

  /** Lends, writes and seals a segment of that length. */
  private Segment written(String name, int length) throws IOException {
    Segment segment = lend(name, length);
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 7);
    try (FileChannel file = FileChannel.open(segment.path(), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(bytes));
    }
    segment.takeBack(length, 0);
    segment.seal(length);
    return segment;
  }

  private long warmAll() {
    long all = 0;
    for (long warmed = store.warmAhead(); warmed > 0; warmed = store.warmAhead()) {
      assertThat(store.wantsWarmAhead()).isTrue();
      all += warmed;
    }
    return all;
  }

  private long pooled() {
    return store.usage().pooledBytes(Tier.MEMORY);
  }

  private long used() {
    return store.usage().usedBytes(Tier.MEMORY);
  }

  @Test
  void filesLikeThoseOfLateAreMadeAsFarAsAllowed() throws IOException {
    assertThat(store.wantsWarmAhead()).isTrue();
    assertThat(warmAll()).isZero();
    assertThat(store.wantsWarmAhead()).isFalse();
    written("a", 2 * STEP);
    assertThat(store.wantsWarmAhead()).isTrue();
    assertThat(warmAll()).isEqualTo(WARM);
    assertThat(store.wantsWarmAhead()).isFalse();
    assertThat(pooled()).isEqualTo(WARM);
    assertThat(used()).isEqualTo(2 * STEP);
    assertThat(warmAll()).isZero();

    Segment segment = lend("b", 2 * STEP);
    assertThat(Files.readAllBytes(segment.path())).isEqualTo(new byte[2 * STEP]);
    assertThat(used()).isEqualTo(4 * STEP);
    assertThat(pooled()).isEqualTo(WARM - 2 * STEP);
    assertThat(store.wantsWarmAhead()).isTrue();
    assertThat(warmAll()).isEqualTo(2 * STEP);
  }

  @Test
  void whoClaimsLittleTakesNoLongFile() throws IOException {
    written("long", 8 * STEP);
    written("short", STEP);
    warmAll();
    assertThat(Files.size(lend("a", STEP).path())).isEqualTo(STEP);
    for (int i = 0; i < WARM / STEP; i++) {
      assertThat(Files.size(lend("more-" + i, STEP).path())).isLessThanOrEqualTo(STEP);
    }
  }

  @Test
  void filesOfOtherLengthsMakeRoomForTheLatest() throws IOException {
    written("long", 8 * STEP);
    warmAll();
    for (int i = 0; i < 32; i++) {
      Segment segment = written("short-" + i, STEP);
      segment.delete();
    }
    warmAll();
    assertThat(pooled()).isLessThanOrEqualTo(WARM + STEP);
    assertThat(Files.size(lend("a", STEP).path())).isEqualTo(STEP);
  }

  @Test
  void whatIsWarmGoesBeforeAWriterFindsNoRoom() throws IOException {
    written("a", 2 * STEP);
    warmAll();
    Segment large = lend("large", CAPACITY - 2 * STEP);
    assertThat(pooled()).isZero();
    assertThat(warmAll()).isZero();
    large.delete();
    assertThat(warmAll()).isEqualTo(WARM);
  }

  @Test
  void nothingIsKeptWhereNothingIsStored() throws IOException {
    Segment segment = written("a", 2 * STEP);
    warmAll();
    segment.delete();
    nanos.addAndGet(IDLE.toNanos());
    assertThat(store.releaseIdle()).isGreaterThanOrEqualTo(WARM);
    assertThat(pooled()).isZero();
    assertThat(warmAll()).isZero();
    store.close();
    assertThatIllegalStateException().isThrownBy(store::warmAhead);
  }

  @Test
  void whatIsShortIsNotMadeAhead() throws IOException {
    for (int i = 0; i < 8; i++) {
      written("short-" + i, 1 << 12);
    }
    assertThat(warmAll()).isZero();
  }

  @Test
  void thereAreNotManyFilesHoweverShort() throws IOException {
    store.close();
    open(1024L * CAPACITY, 64L * CAPACITY);
    written("short", STEP);
    assertThat(warmAll()).isEqualTo(512 * STEP);
    written("long", 8 * STEP);
    assertThat(warmAll()).isPositive();
    assertThat(warmAll()).isZero();
  }
}
