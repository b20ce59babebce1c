package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.file.StoreLockedException;
import dev.sailfish.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BlockStoreTest {
  @TempDir Path root;

  @Test
  void shouldFallThroughFromMemoryToTheEmptiestDiskToNoSpace() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 2 * STEP, STEP, 2 * STEP)) {
      Owner store = fixture.store();
      assertThat(store.allocate("a", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.MEMORY);
      assertThat(store.allocate("b", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.MEMORY);
      Segment onDisk = store.allocate("c", STEP, 0, Tier.MEMORY);
      assertThat(onDisk.tier()).isEqualTo(Tier.DISK);
      assertThat(onDisk.path().getParent()).hasFileName("disk1");
      store.allocate("d", STEP, 0, Tier.MEMORY);
      store.allocate("e", STEP, 0, Tier.MEMORY);
      assertThatThrownBy(() -> store.allocate("f", 10 * STEP, 0, Tier.MEMORY))
          .isInstanceOf(NoSpaceException.class)
          .hasMessageContainingAll("name=f", "tier=MEMORY", "tier=DISK", "disk0", "disk1")
          .hasMessageContainingAll("capacityBytes=131072 usedBytes=131072", "requestedBytes=65536");
      assertThat(store.names()).containsExactly("a", "b", "c", "d", "e");
      assertThat(store.find("f")).isEmpty();
      assertThat(store.find("a").orElseThrow().delete()).isTrue();
      assertThat(store.allocate("f", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.MEMORY);
    }
  }

  @Test
  void shouldGoToDiskOnlyWhenAsked() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 4 * STEP, STEP)) {
      assertThat(fixture.store().allocate("a", STEP, 0, Tier.DISK).tier()).isEqualTo(Tier.DISK);
      assertThatThrownBy(() -> fixture.store().allocate("b", STEP, 0, Tier.DISK))
          .isInstanceOf(NoSpaceException.class)
          .message()
          .doesNotContain("tier=MEMORY");
    }
  }

  @Test
  void shouldWorkWithoutMemoryTier() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, -1, STEP)) {
      assertThat(fixture.store().allocate("a", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.DISK);
      assertThat(fixture.store().usage().capacityBytes(Tier.MEMORY)).isZero();
    }
  }

  @Test
  void shouldRefuseDiskBytesAboveTheWatermark() throws IOException {
    Path disk = root.resolve("disk");
    TierConfig tier = new TierConfig(Tier.DISK, List.of(new Directory(disk, 1 << 20)), 1e-9, false);
    BlockStoreConfig config = StoreFixture.config(List.of(tier));
    try (BlockStore store = BlockStore.open(config, System::nanoTime)) {
      assertThatThrownBy(() -> store.owner(StoreFixture.OWNER).allocate("a", STEP, 0, Tier.MEMORY))
          .isInstanceOf(NoSpaceException.class)
          .hasMessageContaining("watermark=");
      assertThat(StoreFixture.files(disk)).isEmpty();
    }
  }

  @Test
  void shouldAnswerFalseWhenATierIsFullAndTakeTheLastPages() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 2 * STEP + 8192)) {
      Segment segment = fixture.store().allocate("a", 10 * STEP, 0, Tier.MEMORY);
      assertThat(segment.ensure(2 * STEP)).isTrue();
      assertThat(segment.ensure(2 * STEP + 8193)).isFalse();
      assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(2 * STEP);
      assertThat(segment.ensure(2 * STEP + 4097)).as("less than a step").isTrue();
      assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(2 * STEP + 8192);
      assertThat(fixture.usage(fixture.memory).freeBytes()).isZero();
    }
  }

  @Test
  void shouldReuseTheWarmestSegmentOfTheSameCapacity() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 100 * STEP)) {
      Owner store = fixture.store();
      for (int steps : new int[] {2, 4, 3}) {
        assertThat(store.allocate("s" + steps, 4 * STEP, 0, Tier.MEMORY).ensure(steps * STEP))
            .isTrue();
      }
      store.allocate("larger", 8 * STEP, 0, Tier.MEMORY).ensure(8 * STEP);
      List.copyOf(store.names()).forEach(name -> store.find(name).orElseThrow().delete());
      StoreUsage.DirectoryUsage before = fixture.usage(fixture.memory);
      assertThat(before.pooledBytes()).isEqualTo(17 * STEP);
      assertThat(before.segmentsPooled()).isEqualTo(4);
      assertThat(before.segmentsLive()).isZero();

      Segment again = store.allocate("again", 4 * STEP - 100, 0, Tier.MEMORY);
      assertThat(again.capacity()).isEqualTo(4 * STEP - 100);
      assertThat(again.buffer().capacity()).isEqualTo(4 * STEP - 100);
      assertThat(again.length()).isZero();
      assertThat(again.ensure(again.capacity())).isTrue();
      StoreUsage.DirectoryUsage after = fixture.usage(fixture.memory);
      assertThat(after.firstTouchedBytes()).isEqualTo(before.firstTouchedBytes());
      assertThat(after.reuseCount()).isEqualTo(1);
      assertThat(after.usedBytes()).isEqualTo(4 * STEP);
      assertThat(after.pooledBytes()).isEqualTo(13 * STEP);
    }
  }

  @Test
  void shouldNotWasteALargeWarmSegmentOnASmallOne() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 100 * STEP)) {
      Owner store = fixture.store();
      Segment large = store.allocate("large", 8 * STEP, 0, Tier.MEMORY);
      large.ensure(8 * STEP);
      large.delete();
      store.allocate("small", STEP, 0, Tier.MEMORY);
      assertThat(fixture.usage(fixture.memory).reuseCount()).isZero();
      store.allocate("middle", 5 * STEP, 0, Tier.MEMORY);
      assertThat(fixture.usage(fixture.memory).reuseCount()).isEqualTo(1);
    }
  }

  @Test
  void shouldTrimPooledAndSparePagesBeforeItRefuses() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP)) {
      Owner store = fixture.store();
      for (String name : List.of("a", "b")) {
        store.allocate(name, 4 * STEP, 0, Tier.MEMORY).ensure(4 * STEP);
      }
      List.of("a", "b").forEach(name -> store.find(name).orElseThrow().delete());
      Segment spare = store.allocate("spare", 4 * STEP, 0, Tier.MEMORY);
      Segment big = store.allocate("big", 16 * STEP, 0, Tier.MEMORY);
      assertThat(big.ensure(7 * STEP)).isTrue();
      StoreUsage.DirectoryUsage usage = fixture.usage(fixture.memory);
      assertThat(usage.usedBytes()).isEqualTo(8 * STEP);
      assertThat(usage.pooledBytes()).isZero();
      assertThat(usage.segmentsPooled()).isZero();
      assertThat(StoreFixture.fileBytes(fixture.memory)).isEqualTo(8 * STEP);
      assertThat(spare.ensure(STEP + 1)).isFalse();
      big.seal(10);
      assertThat(spare.ensure(4 * STEP)).isTrue();
      spare.buffer().putLong(4 * STEP - 8, 7);
    }
  }

  @Test
  void shouldReleaseThePoolAfterTheIdleTimeOnly() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP, STEP)) {
      Owner store = fixture.store();
      Segment a = store.allocate("a", 2 * STEP, 0, Tier.MEMORY);
      Segment b = store.allocate("b", 2 * STEP, 0, Tier.MEMORY);
      a.delete();
      fixture.advance(Duration.ofSeconds(100));
      assertThat(fixture.blockStore().releaseIdle()).as("b is live").isZero();
      b.delete();
      fixture.advance(Duration.ofSeconds(59));
      assertThat(fixture.blockStore().releaseIdle()).as("too early").isZero();
      fixture.advance(Duration.ofSeconds(1));
      assertThat(fixture.blockStore().releaseIdle()).isEqualTo(2 * STEP);
      assertThat(fixture.usage(fixture.memory).pooledBytes()).isZero();
      assertThat(StoreFixture.files(fixture.memory)).isEmpty();
      assertThat(fixture.blockStore().releaseIdle()).isZero();
    }
  }

  @Test
  void shouldNotPoolDiskSegmentsOrTinyOnes() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP, STEP)) {
      fixture.store().allocate("disk", STEP, 0, Tier.DISK).delete();
      fixture.store().allocate("tiny", 100, 0, Tier.MEMORY).delete();
      assertThat(StoreFixture.files(fixture.memory)).isEmpty();
      assertThat(StoreFixture.files(fixture.disks.get(0))).isEmpty();
      assertThat(fixture.store().usage().usedBytes(Tier.DISK)).isZero();
      assertThat(fixture.store().usage().usedBytes(Tier.MEMORY)).isZero();
    }
  }

  @Test
  void shouldCreateDirectoriesAndFilesForTheOwnerOnly() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP, STEP)) {
      Segment open = fixture.store().allocate("open", STEP, 0, Tier.MEMORY);
      Segment sealed = fixture.store().allocate("sealed", STEP, 0, Tier.DISK);
      sealed.seal(1);
      assertMode(fixture.memory, "rwx------");
      assertMode(fixture.disks.get(0), "rwx------");
      assertMode(open.path(), "rw-------");
      assertMode(sealed.path(), "rw-------");
      assertMode(fixture.memory.resolve("+lock"), "rw-------");
    }
  }

  private static void assertMode(Path path, String mode) throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .as("%s", path)
        .isEqualTo(mode);
  }

  @Test
  void shouldRefuseADirectoryThatEveryUserMayWrite() throws IOException {
    Path disk = Files.createDirectory(root.resolve("open"));
    Files.setPosixFilePermissions(disk, PosixFilePermissions.fromString("rwxrwxrwx"));
    BlockStoreConfig config =
        StoreFixture.config(
            List.of(new TierConfig(Tier.DISK, List.of(new Directory(disk, 1 << 20)))));
    assertThatThrownBy(() -> BlockStore.open(config, System::nanoTime))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("writable by every user");
  }

  @Test
  void shouldRefuseADirectoryHeldInThisProcess() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP, STEP)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> BlockStore.open(fixture.config(), System::nanoTime))
            .isInstanceOf(StoreLockedException.class)
            .hasMessageContainingAll("directory=", "process=" + ProcessHandle.current().pid());
      }
      fixture.store().allocate("still-works", STEP, 0, Tier.MEMORY);
    }
  }

  @Test
  void shouldRefuseADirectoryHeldByAnotherProcessUntilItDies() throws Exception {
    Path disk = root.resolve("disk");
    BlockStoreConfig config =
        StoreFixture.config(
            List.of(new TierConfig(Tier.DISK, List.of(new Directory(disk, 1 << 20)))));
    Process holder =
        new ProcessBuilder(ChildJvm.command(StoreHolder.class, List.of("-Xmx64m"), disk.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = holder.inputReader()) {
      assertThat(output.readLine()).isEqualTo("holding");
      assertThatThrownBy(() -> BlockStore.open(config, System::nanoTime))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("process=" + holder.pid());
    } finally {
      holder.destroyForcibly();
      assertThat(holder.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
    try (BlockStore store = BlockStore.open(config, System::nanoTime)) {
      assertThat(store.owner(StoreFixture.OWNER).recovery().unsealed()).hasSize(1);
    }
  }

  @Test
  void shouldLeaveNothingBehindWhenAllIsDeleted() throws IOException {
    StoreFixture fixture = StoreFixture.open(root, 8 * STEP, STEP);
    fixture.store().allocate("pooled", STEP, 0, Tier.MEMORY).delete();
    fixture.store().allocate("sealed", STEP, 0, Tier.MEMORY).seal(100);
    fixture.store().find("sealed").orElseThrow().delete();
    fixture.store().allocate("disk", STEP, 0, Tier.DISK).delete();
    fixture.close();
    fixture.close();
    assertThat(fixture.memory).doesNotExist();
    assertThat(fixture.disks.get(0)).isEmptyDirectory();
    assertThatThrownBy(() -> fixture.store().allocate("x", STEP, 0, Tier.MEMORY))
        .isInstanceOf(IllegalStateException.class);
    assertThat(fixture.store().names()).isEmpty();
  }

  @Test
  void shouldRefuseTakenNamesAndBadCapacities() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP)) {
      Owner store = fixture.store();
      Segment a = store.allocate("a", STEP, 0, Tier.MEMORY);
      assertThatThrownBy(() -> store.allocate("a", STEP, 0, Tier.MEMORY))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("name=a is taken");
      assertThatThrownBy(() -> store.allocate("b", 0, 0, Tier.MEMORY))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.allocate("b", 1L << 31, 0, Tier.MEMORY))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.allocate("../b", STEP, 0, Tier.MEMORY))
          .isInstanceOf(IllegalArgumentException.class);
      a.retain();
      a.delete();
      store.allocate("a", STEP, 0, Tier.MEMORY);
      a.release();
    }
  }

  @Test
  void shouldMapTheLargestCapacity() throws IOException {
    try (StoreFixture fixture = StoreFixture.open(root, 8 * STEP)) {
      Segment huge = fixture.store().allocate("huge", Segment.MAX_CAPACITY, 0, Tier.MEMORY);
      assertThat(huge.buffer().capacity()).isEqualTo((int) Segment.MAX_CAPACITY);
      assertThat(fixture.usage(fixture.memory).usedBytes()).isEqualTo(STEP);
    }
  }
}
