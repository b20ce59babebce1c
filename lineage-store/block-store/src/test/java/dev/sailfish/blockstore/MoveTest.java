package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MoveTest {
  private static final int MOVES = 300;

  @TempDir Path root;
  private TieredStore tiers;
  private Owner owner;
  private final byte[] content = TieredStore.content(new Random(1), 2 * STEP);

  @BeforeEach
  void open() throws IOException {
    tiers = new TieredStore(root, StoreFiles.LOCAL, false, new OwnerConfig("worker", Map.of()));
    owner = tiers.owner();
  }

  @AfterEach
  void close() throws IOException {
    tiers.close();
  }

  private Segment sealed(String name, Tier tier) throws IOException {
    return TieredStore.sealed(owner, name, tier, content, true);
  }

  @Test
  void shouldMoveDownAndUpWithItsRoom() throws Exception {
    Segment segment = sealed("s", Tier.MEMORY);
    for (Tier tier : new Tier[] {Tier.SSD, Tier.DISK, Tier.MEMORY}) {
      segment = owner.move(segment, tier).orElseThrow();
      assertThat(segment.tier()).isEqualTo(tier);
      assertThat(segment.length()).isEqualTo(content.length);
      assertThat(TieredStore.bytes(segment)).isEqualTo(content);
      segment.verify();
      for (Tier each : Tier.values()) {
        assertThat(owner.usage().usedBytes(each)).isEqualTo(each == tier ? content.length : 0);
      }
      assertThat(owner.move(segment, tier)).as("is there").isEmpty();
    }
    assertThat(tiers.store().usage().directories().get(0).reuseCount()).isEqualTo(1);
  }

  @Test
  void shouldNotMoveWhatIsWritten() throws Exception {
    Segment open = owner.allocate("o", STEP, 0, Tier.MEMORY);
    assertThat(owner.move(open, Tier.DISK)).isEmpty();
    assertThat(open.ensure(STEP)).isTrue();
  }

  @Test
  void shouldLetReadersGoOnWhereTheyAre() throws Exception {
    Segment segment = sealed("s", Tier.MEMORY);
    segment.retain();
    ByteBuffer buffer = segment.buffer();
    FileChannel channel = segment.channel();
    owner.move(segment, Tier.SSD).orElseThrow().delete();
    assertThat(owner.usage().usedBytes(Tier.MEMORY)).isEqualTo(content.length);
    assertThat(buffer.equals(ByteBuffer.wrap(content))).isTrue();
    ByteBuffer read = ByteBuffer.allocate(content.length);
    channel.read(read, 0);
    assertThat(read.array()).isEqualTo(content);
    segment.release();
    assertThat(owner.usage().usedBytes(Tier.MEMORY)).isZero();
    assertThatThrownBy(segment::buffer).isInstanceOf(SegmentDeletedException.class);
  }

  @Test
  void shouldStayWhereItIsWhenTheTierIsFull() throws Exception {
    Segment segment = sealed("s", Tier.DISK);
    owner.allocate("full", 8 * STEP, 7 * STEP, Tier.MEMORY);
    assertThatThrownBy(() -> owner.move(segment, Tier.MEMORY))
        .isInstanceOf(NoSpaceException.class)
        .hasMessageContainingAll("name=s", "tier=MEMORY", "requestedBytes=" + content.length);
    assertThat(segment.state()).isEqualTo(SegmentState.SEALED);
    assertThat(owner.find("s")).containsSame(segment);
  }

  @Test
  void shouldNotCopyWhatIsDamaged() throws Exception {
    Segment segment = sealed("s", Tier.SSD);
    segment.buffer().put(7, (byte) ~content[7]);
    assertThatThrownBy(() -> owner.move(segment, Tier.DISK))
        .isInstanceOf(DamagedSegmentException.class)
        .hasMessageContainingAll("name=s", "actualCrc32c=");
    assertThat(owner.usage().usedBytes(Tier.DISK)).isZero();
    assertThat(owner.find("s")).containsSame(segment);
  }

  @Test
  void shouldNotMoveDownWhatIsPinned() throws Exception {
    Segment segment = sealed("s", Tier.SSD);
    assertThat(segment.pin()).isTrue();
    assertThat(owner.move(segment, Tier.DISK)).isEmpty();
    Segment up = owner.move(segment, Tier.MEMORY).orElseThrow();
    assertThat(owner.move(up, Tier.SSD)).as("the pin moved along").isEmpty();
    assertThat(owner.evict(Tier.MEMORY, 1, EvictionOrder.LEAST_RECENTLY_USED)).isZero();
    segment.unpin();
    assertThatThrownBy(up::unpin)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("name=s is not pinned");
    assertThat(owner.move(up, Tier.SSD)).isPresent();
  }

  @Test
  void shouldNotMoveDownWhatIsPinnedMeanwhile() throws Exception {
    tiers.close();
    FaultyFiles files = new FaultyFiles(root.resolve("graves"));
    tiers = new TieredStore(root, files, false, new OwnerConfig("worker", Map.of()));
    owner = tiers.owner();
    Segment segment = sealed("s", Tier.MEMORY);
    files.beforeNextStep(() -> assertThat(segment.pin()).isTrue());
    assertThat(owner.move(segment, Tier.SSD)).isEmpty();
    assertThat(segment.state()).isEqualTo(SegmentState.SEALED);
    assertThat(owner.usage().usedBytes(Tier.SSD)).isZero();
  }

  @Test
  void shouldEvictWhatWasUsedLeastRecently() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      sealed(name, Tier.MEMORY);
    }
    owner.acquire("a").release();
    sealed("elsewhere", Tier.SSD);
    long left = owner.evict(Tier.MEMORY, content.length + 1, EvictionOrder.LEAST_RECENTLY_USED);
    assertThat(left).isEqualTo(2L * content.length);
    assertThat(owner.find("a").orElseThrow().tier()).isEqualTo(Tier.MEMORY);
    assertThat(owner.find("b").orElseThrow().tier()).isEqualTo(Tier.SSD);
    assertThat(owner.find("c").orElseThrow().tier()).isEqualTo(Tier.SSD);
    assertThat(owner.usage().usedBytes(Tier.MEMORY)).isEqualTo(content.length);
  }

  @Test
  void shouldEvictInTheOrderItIsTold() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      sealed(name, Tier.MEMORY);
    }
    owner.evict(Tier.MEMORY, 1, segment -> -segment.name().charAt(0));
    assertThat(owner.find("c").orElseThrow().tier()).isEqualTo(Tier.SSD);
    assertThat(owner.usage().usedBytes(Tier.MEMORY)).isEqualTo(2L * content.length);
  }

  @Test
  void shouldPassOverWhatCannotBeMoved() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      sealed(name, Tier.MEMORY);
    }
    Segment damaged = owner.find("a").orElseThrow();
    damaged.buffer().put(7, (byte) ~content[7]);
    assertThatThrownBy(
            () -> owner.evict(Tier.MEMORY, content.length + 1, EvictionOrder.LEAST_RECENTLY_USED))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("segments=1 cannot leave tier=MEMORY", "name=a")
        .hasCauseInstanceOf(DamagedSegmentException.class);
    assertThat(owner.find("a")).containsSame(damaged);
    assertThat(owner.find("b").orElseThrow().tier()).isEqualTo(Tier.SSD);
    assertThat(owner.find("c").orElseThrow().tier()).isEqualTo(Tier.SSD);
  }

  @Test
  void shouldSkipFullTiersAndDeleteOnlyWhatItMay() throws Exception {
    sealed("a", Tier.MEMORY);
    sealed("b", Tier.MEMORY);
    for (int i = 0; i < 2; i++) {
      owner.allocate("ssd-" + i, 8 * STEP, 8 * STEP, Tier.SSD);
    }
    assertThat(owner.evict(Tier.MEMORY, 1, EvictionOrder.LEAST_RECENTLY_USED)).isPositive();
    assertThat(owner.find("a").orElseThrow().tier()).isEqualTo(Tier.DISK);
    owner.allocate("disk", 64 * STEP, 62 * STEP, Tier.DISK);
    assertThat(owner.evict(Tier.MEMORY, 1, EvictionOrder.LEAST_RECENTLY_USED)).isZero();
    assertThat(owner.find("b")).isPresent();
    EvictionOrder deleting =
        new EvictionOrder() {
          @Override
          public long rank(Segment segment) {
            return 0;
          }

          @Override
          public boolean mayDelete(Segment segment) {
            return segment.name().equals("b");
          }
        };
    assertThat(owner.evict(Tier.DISK, Long.MAX_VALUE, deleting)).isZero();
    assertThat(owner.evict(Tier.MEMORY, 1, deleting)).isEqualTo(content.length);
    assertThat(owner.find("b")).isEmpty();
  }

  @Test
  void shouldFindEachSegmentWhileAllAreMoved() throws Exception {
    int segments = 3;
    for (int i = 0; i < segments; i++) {
      TieredStore.sealed(owner, "s" + i, Tier.DISK, new byte[STEP], true);
    }
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService readers = Executors.newFixedThreadPool(3);
    try {
      List<Future<Long>> reads = new ArrayList<>();
      for (int reader = 0; reader < 3; reader++) {
        reads.add(readers.submit(() -> readUntil(done, segments)));
      }
      Random random = new Random(7);
      for (int move = 0; move < MOVES; move++) {
        Segment segment = owner.find("s" + random.nextInt(segments)).orElseThrow();
        owner.move(segment, Tier.values()[random.nextInt(3)]);
      }
      done.set(true);
      for (Future<Long> read : reads) {
        assertThat(read.get(20, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      done.set(true);
      readers.shutdownNow();
    }
    assertThat(owner.usage().usedBytes(Tier.values())).isEqualTo((long) segments * STEP);
  }

  private long readUntil(AtomicBoolean done, int segments) throws IOException {
    long reads = 0;
    do {
      Segment segment = owner.acquire("s" + reads % segments);
      try {
        segment.verify();
        reads++;
      } finally {
        segment.release();
      }
    } while (!done.get());
    return reads;
  }
}
