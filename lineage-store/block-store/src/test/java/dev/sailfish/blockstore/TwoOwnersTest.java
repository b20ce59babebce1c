package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TwoOwnersTest {
  private static final OwnerConfig CHUNKSERVER =
      new OwnerConfig("chunkserver", Map.of(Tier.MEMORY, 0.25));
  private static final OwnerConfig WORKER = new OwnerConfig("worker", Map.of(Tier.MEMORY, 0.75));

  @TempDir Path root;
  private TieredStore tiers;

  @BeforeEach
  void open() throws IOException {
    tiers = new TieredStore(root, StoreFiles.LOCAL, false, CHUNKSERVER, WORKER);
  }

  @AfterEach
  void close() throws IOException {
    tiers.close();
  }

  private Owner owner(OwnerConfig owner) {
    return tiers.store().owner(owner.name());
  }

  @Test
  void shouldNotSeeEachOthersSegments() throws Exception {
    byte[] chunk = TieredStore.content(new Random(1), STEP);
    byte[] block = TieredStore.content(new Random(2), STEP);
    TieredStore.sealed(owner(CHUNKSERVER), "same", Tier.DISK, chunk, false);
    TieredStore.sealed(owner(WORKER), "same", Tier.DISK, block, false);
    owner(WORKER).allocate("open", STEP, 0, Tier.DISK);
    for (int start = 0; start < 2; start++) {
      assertThat(owner(CHUNKSERVER).names()).containsExactly("same");
      assertThat(owner(WORKER).names()).containsExactly("open", "same");
      assertThat(TieredStore.bytes(owner(CHUNKSERVER).find("same").orElseThrow())).isEqualTo(chunk);
      assertThat(TieredStore.bytes(owner(WORKER).find("same").orElseThrow())).isEqualTo(block);
      tiers.close();
      tiers.open();
    }
    assertThat(owner(CHUNKSERVER).recovery().sealed()).hasSize(1);
    assertThat(owner(CHUNKSERVER).recovery().unsealed()).isEmpty();
    assertThat(owner(WORKER).recovery().sealed()).hasSize(1);
    assertThat(owner(WORKER).recovery().unsealed()).hasSize(1);
    owner(CHUNKSERVER).find("same").orElseThrow().delete();
    assertThat(TieredStore.bytes(owner(WORKER).find("same").orElseThrow())).isEqualTo(block);
  }

  @Test
  void shouldLeaveTheFilesOfAnOwnerThatIsNotThere() throws Exception {
    byte[] block = TieredStore.content(new Random(2), 3 * STEP);
    for (Tier tier : Tier.values()) {
      TieredStore.sealed(owner(WORKER), "sealed-" + tier, tier, block, true);
      owner(WORKER).allocate("open-" + tier, STEP, 0, tier);
    }
    owner(WORKER).find("sealed-SSD").orElseThrow().share();
    tiers.close();
    Path copy = tiers.directory(Tier.DISK, 0).resolve("sealed-SSD@worker+copy-5-none");
    Files.write(copy, new byte[5]);
    Map<String, Integer> before = workersFiles();
    assertThat(before).hasSize(7);
    tiers.open(CHUNKSERVER);
    assertThat(owner(CHUNKSERVER).names()).isEmpty();
    assertThatThrownBy(() -> owner(WORKER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("owner=worker", "[chunkserver]");
    assertThat(tiers.store().usage().usedBytes(Tier.MEMORY)).as("its room").isEqualTo(4 * STEP);
    assertThat(owner(CHUNKSERVER).usage().usedBytes(Tier.MEMORY)).isZero();
    for (int i = 0; i < 2; i++) {
      TieredStore.sealed(owner(CHUNKSERVER), "c" + i, Tier.MEMORY, block, false).delete();
    }
    tiers.close();
    assertThat(workersFiles()).containsExactlyInAnyOrderEntriesOf(before);
    tiers.open();
    assertThat(owner(WORKER).recovery().sealed())
        .hasSize(3)
        .allSatisfy(segment -> assertThat(TieredStore.bytes(segment)).isEqualTo(block));
    assertThat(owner(WORKER).recovery().unsealed()).hasSize(3);
  }

  /** Names and what they hold. */
  private Map<String, Integer> workersFiles() throws IOException {
    Map<String, Integer> found = new HashMap<>();
    for (Tier tier : Tier.values()) {
      for (int i = 0; Files.isDirectory(tiers.directory(tier, i)); i++) {
        for (Path file : StoreFixture.files(tiers.directory(tier, i))) {
          assertThat(file.getFileName().toString()).contains("@worker");
          found.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)));
        }
      }
    }
    return found;
  }

  @Test
  void shouldKeepEachToItsShareOfATier() throws Exception {
    Segment chunk = owner(CHUNKSERVER).allocate("c", 8 * STEP, STEP, Tier.MEMORY);
    assertThat(chunk.ensure(2 * STEP)).isTrue();
    assertThat(chunk.ensure(2 * STEP + 1)).isFalse();
    assertThat(chunk.claim(3 * STEP)).isFalse();
    assertThat(owner(CHUNKSERVER).usage().freeBytes(Tier.MEMORY)).isZero();
    assertThat(owner(CHUNKSERVER).usage().capacityBytes(Tier.MEMORY)).isEqualTo(2 * STEP);
    assertThat(owner(CHUNKSERVER).allocate("d", STEP, 0, Tier.MEMORY).tier()).isEqualTo(Tier.SSD);

    Segment block = owner(WORKER).allocate("w", 8 * STEP, STEP, Tier.MEMORY);
    assertThat(block.tier()).isEqualTo(Tier.MEMORY);
    assertThat(block.ensure(6 * STEP)).as("its room was kept").isTrue();
    assertThat(block.ensure(6 * STEP + 1)).isFalse();
    assertThat(owner(WORKER).usage().usedBytes(Tier.MEMORY)).isEqualTo(6 * STEP);
    assertThat(tiers.store().usage().usedBytes(Tier.MEMORY)).isEqualTo(8 * STEP);
    chunk.delete();
    block.delete();
    assertThat(tiers.store().usage().usedBytes(Tier.MEMORY)).isZero();
  }

  @Test
  void shouldNotGiveUpWarmMemoryForOneWhoseShareIsFull() throws Exception {
    Segment block = owner(WORKER).allocate("w", 2 * STEP, 2 * STEP, Tier.MEMORY);
    Segment chunk = owner(CHUNKSERVER).allocate("c", 2 * STEP, 2 * STEP, Tier.MEMORY);
    block.delete();
    long pooled = tiers.store().usage().pooledBytes(Tier.MEMORY);
    assertThat(pooled).isEqualTo(2 * STEP);
    assertThat(owner(CHUNKSERVER).allocate("d", 2 * STEP, 0, Tier.MEMORY).tier())
        .isEqualTo(Tier.SSD);
    assertThat(tiers.store().usage().pooledBytes(Tier.MEMORY)).isEqualTo(pooled);
    chunk.delete();
    assertThat(owner(WORKER).usage().usedBytes(Tier.MEMORY)).isZero();
  }
}
