package dev.sailfish.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.DiskDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BlockStoreConfigTest {
  private static final Path MEMORY = Path.of("/memory");
  private static final DiskDirectory DISK = new DiskDirectory(Path.of("/disk"), 1 << 20);

  @Test
  void shouldHaveDefaults() {
    BlockStoreConfig config = BlockStoreConfig.of(MEMORY, 1 << 20, List.of());
    assertThat(config.growthBytes()).isEqualTo(1 << 20);
    assertThat(config.idleRelease()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.diskWatermark()).isEqualTo(0.95);
    assertThat(BlockStoreConfig.ofDisks(List.of(DISK)).memoryDirectory()).isEmpty();
  }

  @Test
  void shouldKeepWhatItIsGiven() {
    BlockStoreConfig config =
        BlockStoreConfig.of(MEMORY, 1 << 20, List.of(DISK))
            .withGrowthBytes(8192)
            .withIdleRelease(Duration.ofMillis(5))
            .withDiskWatermark(0.5);
    assertThat(config)
        .isEqualTo(
            new BlockStoreConfig(
                Optional.of(MEMORY), 1 << 20, List.of(DISK), 8192, Duration.ofMillis(5), 0.5));
  }

  @Test
  void shouldNameKeyValueAndRangeOfWhatItRejects() {
    BlockStoreConfig good = BlockStoreConfig.of(MEMORY, 1 << 20, List.of(DISK));
    rejects(() -> good.withGrowthBytes(0), "store.growth.bytes=0", "[4096, 1073741824]");
    rejects(() -> good.withGrowthBytes(5000), "store.growth.bytes=5000", "multiple of 4096");
    rejects(() -> good.withIdleRelease(Duration.ofSeconds(-1)), "store.idle.release=PT-1S", "PT0S");
    rejects(() -> good.withDiskWatermark(1.5), "store.disk.watermark=1.5", "(0, 1]");
    rejects(() -> good.withDiskWatermark(Double.NaN), "store.disk.watermark=NaN", "(0, 1]");
    rejects(() -> BlockStoreConfig.of(MEMORY, 100, List.of()), "store.memory.bytes=100", "[4096, ");
    rejects(() -> BlockStoreConfig.ofDisks(List.of()), "store.disk.directories=[]", "must name");
    rejects(
        () -> BlockStoreConfig.ofDisks(List.of(DISK, DISK)),
        "store.disk.directories=/disk",
        "twice");
    rejects(() -> BlockStoreConfig.of(DISK.directory(), 1 << 20, List.of(DISK)), "/disk", "twice");
    rejects(() -> new DiskDirectory(MEMORY, 0), "store.disk.capacity.bytes=0", "[4096, ");
    rejects(
        () -> new BlockStoreConfig(Optional.empty(), 5, List.of(DISK), 4096, Duration.ZERO, 1),
        "store.memory.bytes=5",
        "must be 0");
  }

  private static void rejects(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(parts);
  }
}
