package dev.sailfish.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BlockStoreConfigTest {
  private static final Directory MEMORY = new Directory(Path.of("/memory"), 1 << 20);
  private static final Directory DISK = new Directory(Path.of("/disk"), 1 << 20);
  private static final TierConfig TIER = new TierConfig(Tier.MEMORY, List.of(MEMORY));
  private static final OwnerConfig OWNER = new OwnerConfig("chunkserver", Map.of());

  @Test
  void shouldHaveDefaults() {
    assertThat(BlockStoreConfig.DEFAULT_GROWTH_BYTES).isEqualTo(1 << 20);
    assertThat(BlockStoreConfig.DEFAULT_IDLE_RELEASE).isEqualTo(Duration.ofMinutes(10));
    assertThat(TIER.watermark()).isEqualTo(0.95);
    assertThat(TIER.synced()).isFalse();
  }

  @Test
  void shouldLimitAnOwnerToItsShareOfATier() {
    OwnerConfig owner = new OwnerConfig("a", Map.of(Tier.MEMORY, 0.25));
    assertThat(owner.limitBytes(Tier.MEMORY, 1000)).isEqualTo(250);
    assertThat(owner.limitBytes(Tier.SSD, 1000)).isEqualTo(1000);
  }

  @Test
  void shouldNameSettingValueAndRangeOfWhatItRejects() {
    rejects(() -> config(0, Duration.ZERO), "growthBytes=0", "[4096, 1073741824]");
    rejects(() -> config(5000, Duration.ZERO), "growthBytes=5000", "multiple of 4096");
    rejects(() -> config(4096, Duration.ofSeconds(-1)), "idleRelease=PT-1S", "PT0S");
    rejects(() -> new Directory(Path.of("/a"), 100), "directory=/a capacityBytes=100", "4096");
    rejects(() -> new TierConfig(Tier.SSD, List.of()), "tier=SSD directories=[]", "must name one");
    for (double watermark : new double[] {0, 1.5, Double.NaN}) {
      rejects(
          () -> new TierConfig(Tier.DISK, List.of(DISK), watermark, true),
          "tier=DISK watermark=" + watermark,
          "(0, 1]");
    }
    rejects(() -> new OwnerConfig("Lineage", Map.of()), "owner=Lineage", "must match");
    rejects(
        () -> new OwnerConfig("a", Map.of(Tier.SSD, 1.5)), "owner=a tier=SSD share=1.5", "(0, 1]");
    rejects(() -> config(List.of(), OWNER), "tiers=[]", "must name one");
    rejects(() -> config(List.of(TIER)), "owners=[]", "must name one");
    rejects(() -> config(List.of(TIER), OWNER, OWNER), "owner=", "twice");
    rejects(() -> config(List.of(TIER, TIER), OWNER), "tier=MEMORY", "tier=MEMORY");
    rejects(
        () -> config(List.of(new TierConfig(Tier.DISK, List.of(DISK)), TIER), OWNER),
        "tier=MEMORY",
        "after tier=DISK");
    rejects(
        () -> config(List.of(TIER, new TierConfig(Tier.DISK, List.of(MEMORY))), OWNER),
        "directory=/memory",
        "twice");
  }

  private static BlockStoreConfig config(long growthBytes, Duration idleRelease) {
    return new BlockStoreConfig(List.of(TIER), List.of(OWNER), growthBytes, idleRelease);
  }

  private static BlockStoreConfig config(List<TierConfig> tiers, OwnerConfig... owners) {
    return new BlockStoreConfig(tiers, List.of(owners), 4096, Duration.ZERO);
  }

  private static void rejects(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(parts);
  }
}
