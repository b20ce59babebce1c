package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RecoveryTest {
  @TempDir Path root;

  @Test
  void shouldServeSealedSegmentsAfterAReopen() throws Exception {
    try (StoreFixture fixture = StoreFixture.open(root, 16 * STEP, 16 * STEP)) {
      for (Tier tier : StoreFixture.TIERS) {
        Segment segment = fixture.store().allocate("s-" + tier, 4 * STEP, 0, tier);
        segment.ensure(STEP + 5000);
        segment.buffer().putInt(STEP + 4000, 42);
        segment.sealWithChecksum(STEP + 5000);
      }
      fixture.store().allocate("dropped", STEP, 0, Tier.MEMORY).delete();
      Owner store = fixture.reopen();
      assertThat(store.names()).containsExactly("s-DISK", "s-MEMORY");
      assertThat(store.recovery().sealed()).hasSize(2);
      for (Segment segment : store.recovery().sealed()) {
        segment.verify();
        assertThat(segment.isSealed()).isTrue();
        assertThat(segment.length()).isEqualTo(STEP + 5000);
        assertThat(segment.buffer().capacity()).isEqualTo(STEP + 5000);
        assertThat(segment.buffer().getInt(STEP + 4000)).isEqualTo(42);
        assertThat(store.usage().usedBytes(segment.tier())).isEqualTo(STEP + 8192);
        assertThat(segment.delete()).isTrue();
        assertThat(store.usage().usedBytes(segment.tier())).isZero();
        assertThat(store.usage().pooledBytes(segment.tier())).isZero();
      }
      store.allocate("s-DISK", STEP, 0, Tier.DISK);
    }
  }

  @Test
  void shouldKeepOpenSegmentsOverACloseWithWhatWasEnsured() throws Exception {
    try (StoreFixture fixture = StoreFixture.open(root, 16 * STEP, 16 * STEP)) {
      fixture.store().allocate("warm", 4 * STEP, 0, Tier.MEMORY).ensure(4 * STEP);
      fixture.store().find("warm").orElseThrow().delete();
      for (Tier tier : StoreFixture.TIERS) {
        Segment segment = fixture.store().allocate("o-" + tier, 4 * STEP, 0, tier);
        segment.ensure(STEP + 5000);
        segment.buffer().putInt(STEP + 4000, 42);
      }
      Owner store = fixture.reopen();
      assertThat(store.names()).containsExactly("o-DISK", "o-MEMORY");
      assertThat(store.recovery().unsealed()).hasSize(2);
      for (Segment segment : store.recovery().unsealed()) {
        assertThat(segment.isSealed()).isFalse();
        assertThat(segment.length()).as("without the warm pages behind it").isEqualTo(2 * STEP);
        assertThat(segment.buffer().getInt(STEP + 4000)).isEqualTo(42);
        segment.trim(STEP + 5000);
        assertThat(store.usage().usedBytes(segment.tier())).isEqualTo(STEP + 8192);
        assertThat(segment.ensure(2 * STEP)).isTrue();
        assertThat(segment.buffer().getInt(STEP + 4000)).isEqualTo(42);
        assertThat(segment.buffer().getInt(2 * STEP - 4)).as("given back before").isZero();
        assertThatThrownBy(() -> segment.trim(3 * STEP))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("trim length=");
        segment.seal(STEP);
        assertThatThrownBy(() -> segment.trim(0)).isInstanceOf(IllegalStateException.class);
        segment.delete();
        assertThat(store.usage().usedBytes(segment.tier())).isZero();
      }
    }
  }

  @Test
  void shouldRegisterWhatACrashLeftAndRemoveThePool() throws Exception {
    Path memory = Files.createDirectory(root.resolve("memory"));
    write(memory.resolve("open"), 2 * STEP);
    write(memory.resolve("empty"), 0);
    write(memory.resolve("uncut+seal-5000-none"), STEP);
    write(memory.resolve("+free-7"), STEP);
    write(memory.resolve("+lock"), 3);
    write(memory.resolve("not ours"), 10);
    Files.createDirectory(memory.resolve("folder"));
    try (StoreFixture fixture = StoreFixture.open(root, 16 * STEP)) {
      Owner store = fixture.store();
      assertThat(store.names()).containsExactly("empty", "open", "uncut");
      assertThat(store.recovery().unsealed()).hasSize(2);
      assertThat(store.recovery().damaged()).isEmpty();
      assertThat(fixture.usage(memory).usedBytes()).isEqualTo(2 * STEP + 8192);
      assertThat(memory.resolve("+free-7")).doesNotExist();
      assertThat(memory.resolve("not ours")).exists();

      Segment open = store.find("open").orElseThrow();
      assertThat(open.isSealed()).isFalse();
      assertThat(open.length()).isEqualTo(2 * STEP);
      assertThat(open.buffer().get(2 * STEP - 1)).isEqualTo((byte) 1);
      open.seal(100);
      assertThat(fixture.usage(memory).usedBytes()).isEqualTo(4096 + 8192);
      assertThat(store.find("empty").orElseThrow().buffer().capacity()).isZero();
    }
    assertThat(StoreFixture.fileNames(memory))
        .containsExactly(
            "empty",
            "folder",
            "not ours",
            "open@chunkserver+seal-100-none",
            "uncut+seal-5000-none");
  }

  private static void write(Path file, int length) throws IOException {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 1);
    Files.write(file, bytes);
  }

  @Test
  void shouldReportATooShortFileAsDamaged() throws Exception {
    try (StoreFixture fixture = StoreFixture.open(root, -1, 16 * STEP)) {
      Segment cut = fixture.store().allocate("cut", 4 * STEP, 0, Tier.DISK);
      cut.ensure(2 * STEP);
      cut.seal(2 * STEP);
      Path file = cut.path();
      fixture.blockStore().close();
      try (RandomAccessFile shorter = new RandomAccessFile(file.toFile(), "rw")) {
        shorter.setLength(STEP);
      }
      Owner store = fixture.reopen();
      assertThat(store.recovery().sealed()).isEmpty();
      assertThat(store.recovery().damaged())
          .singleElement()
          .satisfies(
              segment ->
                  assertThat(segment.damage().orElseThrow())
                      .hasMessageContainingAll("name=cut", "sealedLength=131072 fileLength=65536"));
      Segment damaged = store.find("cut").orElseThrow();
      assertThat(damaged.damage()).isPresent();
      assertThatThrownBy(damaged::verify).isInstanceOf(DamagedSegmentException.class);
      assertThatThrownBy(damaged::buffer)
          .isInstanceOf(IllegalStateException.class)
          .hasCauseInstanceOf(DamagedSegmentException.class);
      assertThatThrownBy(damaged::channel).isInstanceOf(IllegalStateException.class);
      assertThat(store.usage().usedBytes(Tier.DISK)).isEqualTo(STEP);
      assertThat(damaged.delete()).isTrue();
      assertThat(store.usage().usedBytes(Tier.DISK)).isZero();
      assertThat(StoreFixture.files(fixture.disks.get(0))).isEmpty();
    }
  }

  @Test
  void shouldFindAFlippedByteWhenAsked() throws Exception {
    try (StoreFixture fixture = StoreFixture.open(root, 16 * STEP, 16 * STEP)) {
      for (Tier tier : StoreFixture.TIERS) {
        fixture.store().allocate("s-" + tier, STEP, 0, tier).sealWithChecksum(1000);
      }
      List<Path> files =
          fixture.store().names().stream()
              .map(name -> fixture.store().find(name).orElseThrow().path())
              .toList();
      fixture.blockStore().close();
      for (Path file : files) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.wrap(new byte[] {8}), 999);
        }
      }
      assertThat(fixture.reopen().recovery().sealed())
          .hasSize(2)
          .allSatisfy(
              segment ->
                  assertThatThrownBy(segment::verify)
                      .isInstanceOf(DamagedSegmentException.class)
                      .hasMessageContainingAll(segment.name(), "expectedCrc32c=", "actualCrc32c="));
    }
  }

  @Test
  void shouldFindAfterAPowerFailureWhatASyncedTierHasSealed() throws Exception {
    int kept = 0;
    for (int seed = 0; seed < 20; seed++) {
      assertThat(isKeptOverAPowerFailure(true, seed)).as("seed=%d", seed).isTrue();
      kept += isKeptOverAPowerFailure(false, seed) ? 1 : 0;
    }
    assertThat(kept).as("in a tier that is not synced").isLessThan(20);
  }

  private boolean isKeptOverAPowerFailure(boolean synced, int seed) throws IOException {
    Path place = root.resolve(synced + "-" + seed);
    FaultyFiles files = new FaultyFiles(place.resolve("graves"));
    OwnerConfig owner = new OwnerConfig("worker", Map.of());
    try (TieredStore tiers = new TieredStore(place, files, synced, owner)) {
      TieredStore.sealed(tiers.owner(), "s", Tier.SSD, new byte[STEP], true);
      files.end();
      assertThatThrownBy(() -> tiers.owner().allocate("t", STEP, 0, Tier.SSD))
          .isInstanceOf(NoSpaceException.class);
      tiers.stop();
      files.cutPower(new Random(seed));
      files.failAfter(Integer.MAX_VALUE, false);
      tiers.open();
      List<Segment> sealed = tiers.owner().recovery().sealed();
      for (Segment segment : sealed) {
        segment.verify();
      }
      return sealed.size() == 1;
    } catch (DamagedSegmentException e) {
      return false;
    }
  }

  @Test
  void shouldRefuseTheSameSegmentInTwoDirectories() throws Exception {
    StoreFixture fixture = StoreFixture.open(root, 16 * STEP, 16 * STEP);
    fixture.store().allocate("twice", STEP, 0, Tier.MEMORY).seal(0);
    fixture.close();
    write(fixture.disks.get(0).resolve("twice"), STEP);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(fixture::reopen)
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("name=twice", "two files");
    }
    Files.delete(fixture.disks.get(0).resolve("twice"));
    assertThat(fixture.reopen().names()).containsExactly("twice");
    fixture.close();
  }

  @Test
  void shouldOpenWithLessCapacityThanItRecovers() throws Exception {
    try (StoreFixture fixture = StoreFixture.open(root, 16 * STEP)) {
      Segment segment = fixture.store().allocate("s", 4 * STEP, 0, Tier.MEMORY);
      segment.ensure(4 * STEP);
      segment.seal(4 * STEP);
    }
    try (StoreFixture smaller = StoreFixture.open(root, 2 * STEP)) {
      assertThat(smaller.usage(smaller.memory).usedBytes()).isEqualTo(4 * STEP);
      assertThat(smaller.usage(smaller.memory).freeBytes()).isZero();
      assertThatThrownBy(() -> smaller.store().allocate("t", STEP, 0, Tier.MEMORY))
          .isInstanceOf(NoSpaceException.class);
      smaller.store().find("s").orElseThrow().delete();
      assertThat(smaller.store().allocate("t", STEP, 0, Tier.MEMORY).ensure(STEP)).isTrue();
      assertThat(smaller.usage(smaller.memory).pooledBytes()).isLessThanOrEqualTo(STEP);
    }
  }
}
