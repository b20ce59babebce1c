package dev.sailfish.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.config.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeConfigTest {
  @TempDir private Path directory;

  private Map<String, String> settings() {
    return new HashMap<>(
        Map.of(
            "sailfish.node.dirs",
            "%s:disktype=MEM:capacity=64m,%s:capacity=1g"
                .formatted(directory.resolve("memory"), directory.resolve("disk")),
            "sailfish.chunkserver.authentication",
            "none",
            "sailfish.lineage.worker.authentication",
            "none"));
  }

  private static NodeConfig read(Map<String, String> settings) {
    return NodeConfig.of(Settings.of(settings));
  }

  @Test
  void bothStoreInTheSameDirectoriesAsFarAsTheirShares() throws IOException {
    Map<String, String> settings = settings();
    settings.put("sailfish.node.chunkserver.memory", "25");
    NodeConfig config = read(settings);
    BlockStoreConfig store = config.blockStore();
    assertThat(store.tiers())
        .extracting(tier -> tier.tier())
        .containsExactly(Tier.MEMORY, Tier.DISK);
    assertThat(store.owners())
        .extracting(owner -> owner.name())
        .containsExactly("chunkserver", "worker");
    assertThat(store.owners().get(0).shares()).containsExactly(Map.entry(Tier.MEMORY, 0.25));
    assertThat(store.owners().get(1).shares()).containsExactly(Map.entry(Tier.MEMORY, 1.0));
    assertThat(config.chunkserver().dataDirectories()).isEqualTo(config.directories());
    assertThat(config.chunkserver().memoryDirectory()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sailfish.chunkserver.memory.dir",
        "sailfish.chunkserver.memory.size",
        "sailfish.chunkserver.data.dirs",
        "sailfish.chunkserver.growth",
        "sailfish.lineage.worker.dirs",
        "sailfish.lineage.worker.idle.release"
      })
  void whereOneOfThemStoresIsNotForItToSay(String key) {
    Map<String, String> settings = settings();
    String value = key.endsWith("idle.release") ? "1min" : "1m";
    settings.put(key, value);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(settings))
        .withMessageContaining(key + "=" + value + " must not be set")
        .withMessageContaining("sailfish.node.*");
  }

  @Test
  void mistakesAreNamed() {
    Map<String, String> none = settings();
    none.remove("sailfish.node.dirs");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(none))
        .withMessageContaining("sailfish.node.dirs= must name a directory");
    Map<String, String> unlimited = settings();
    unlimited.put("sailfish.node.dirs", "/dev/shm/sailfish:disktype=MEM");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(unlimited))
        .withMessageContaining("must say :capacity=SIZE of memory");
    for (String prefix :
        new String[] {"sailfish.node.", "sailfish.chunkserver.", "sailfish.lineage.worker."}) {
      Map<String, String> unknown = settings();
      unknown.put(prefix + "hots", "1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> read(unknown))
          .withMessageContaining("unknown key " + prefix + "hots");
    }
  }
}
