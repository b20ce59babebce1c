package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which segments of a tier stay when others are used. */
class EvictionOrderTest {
  @TempDir Path temporary;
  private Path root;
  private TieredStore tiers;

  @BeforeEach
  void open() throws IOException {
    root = StoreFixture.memoryRoot(temporary);
    tiers = new TieredStore(root, StoreFiles.LOCAL, false, new OwnerConfig("worker", Map.of()));
    for (String name : List.of("hot", "warm", "cold", "scan-1", "scan-2", "scan-3")) {
      TieredStore.sealed(tiers.owner(), name, Tier.MEMORY, new byte[STEP], false);
    }
  }

  @AfterEach
  void close() throws IOException {
    tiers.close();
    StoreFixture.removeTree(root);
  }

  private void use(String name, int times) {
    for (int i = 0; i < times; i++) {
      tiers.owner().acquire(name).release();
    }
  }

  /** Names in the order in which they leave the memory, one after the other. */
  private List<String> leaving(EvictionOrder order) throws IOException {
    List<String> names = new ArrayList<>();
    EvictionOrder watched =
        new EvictionOrder() {
          @Override
          public long rank(Segment segment) {
            return order.rank(segment);
          }

          @Override
          public void moved(Segment segment) {
            names.add(segment.name());
          }
        };
    tiers.owner().evict(Tier.MEMORY, Long.MAX_VALUE, watched);
    return names;
  }

  private void useAsJobsDo() {
    use("cold", 2);
    use("hot", 50);
    use("warm", 10);
    use("hot", 2);
    use("scan-1", 1);
    use("scan-2", 1);
    use("scan-3", 1);
  }

  @Test
  void whatWasUsedLongestAgo() throws IOException {
    useAsJobsDo();
    assertThat(leaving(EvictionOrder.LEAST_RECENTLY_USED))
        .containsExactly("cold", "warm", "hot", "scan-1", "scan-2", "scan-3");
  }

  @Test
  void whatWasUsedLeastOften() throws IOException {
    useAsJobsDo();
    assertThat(leaving(EvictionOrder.LEAST_FREQUENTLY_USED))
        .containsExactly("scan-1", "scan-2", "scan-3", "cold", "warm", "hot");
  }

  @Test
  void whatWasUsedOftenLongAgoGoesInTheEnd() throws IOException {
    use("hot", 50);
    use("warm", 10);
    use("cold", 200_000);
    use("warm", 10);
    assertThat(leaving(EvictionOrder.LEAST_FREQUENTLY_USED))
        .containsSubsequence("hot", "warm", "cold");
  }

  /** A use is counted when a segment is made, too: a scan is the second one. */
  @Test
  void aScanPushesNothingOutThatIsUsedAgainAndAgain() throws IOException {
    useAsJobsDo();
    TieredStore.sealed(tiers.owner(), "new", Tier.MEMORY, new byte[STEP], false);
    assertThat(leaving(EvictionOrder.LEAST_RECENTLY_USED_TWICE))
        .containsExactly("new", "scan-1", "scan-2", "scan-3", "cold", "warm", "hot");
  }

  @Test
  void aMoveForgetsNothing() throws IOException {
    useAsJobsDo();
    List<String> before = leaving(EvictionOrder.LEAST_RECENTLY_USED_TWICE);
    for (String name : List.of("hot", "scan-1", "cold", "warm", "scan-3", "scan-2")) {
      tiers.owner().move(tiers.owner().find(name).orElseThrow(), Tier.MEMORY);
    }
    assertThat(leaving(EvictionOrder.LEAST_RECENTLY_USED_TWICE)).isEqualTo(before);
  }

  @Test
  void tellsOfWhatIsDeletedAndDeletesNothingElse() throws IOException {
    useAsJobsDo();
    for (Tier tier : List.of(Tier.MEMORY, Tier.SSD)) { // to the lowest
      tiers.owner().evict(tier, Long.MAX_VALUE, EvictionOrder.LEAST_RECENTLY_USED);
    }
    List<String> deleted = new ArrayList<>();
    EvictionOrder order =
        new EvictionOrder() {
          @Override
          public long rank(Segment segment) {
            return LEAST_RECENTLY_USED.rank(segment);
          }

          @Override
          public boolean mayDelete(Segment segment) {
            return segment.name().startsWith("scan");
          }

          @Override
          public void deleted(Segment segment) {
            deleted.add(segment.name());
          }
        };
    Tier lowest = tiers.owner().find("hot").orElseThrow().tier();
    tiers.owner().evict(lowest, Long.MAX_VALUE, order);
    assertThat(deleted).containsExactly("scan-1", "scan-2", "scan-3");
    assertThat(tiers.owner().names()).containsExactly("cold", "hot", "warm");
  }
}
