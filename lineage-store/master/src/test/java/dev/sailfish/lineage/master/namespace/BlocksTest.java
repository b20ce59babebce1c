package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.table.CopyTable;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** The rows of blocks that come together are those of blocks that come one by one. */
@Seeded
class BlocksTest {
  private static final int ROUNDS = 2_000;
  private static final int WORKERS = 3;
  private static final int BLOCKS = 12;
  private static final int MOST_BLOCKS = 1 << 20;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /** Blocks of three files. */
  private static final class Files {
    private final InodeTable inodes = new InodeTable(new Freeze());
    private final Blocks blocks =
        new Blocks(inodes, new Freeze(), new Suspects(inodes, new DependencyGraph()));

    Files() throws NamespaceException {
      for (int i = 0; i < 3; i++) {
        inodes.allocate(Kind.COMPLETE);
      }
      for (int i = 1; i <= WORKERS; i++) {
        blocks.workers().add(i, "host", i);
      }
    }

    /** As many questions for one file and worker are not asked after another. */
    void askElsewhere() {
      blocks.isWith(2, 0, 1);
    }

    byte[] rows() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      CopyTable.Image image = blocks.image();
      image.writeHead(out);
      boolean more = true;
      while (more) {
        more = image.writePage(out);
      }
      for (int slot = 0; slot < inodes.slots(); slot++) {
        out.writeInt(inodes.firstCopy(slot));
      }
      return bytes.toByteArray();
    }
  }

  private final Files together;
  private final Files apart;

  BlocksTest() throws NamespaceException {
    together = new Files();
    apart = new Files();
  }

  @Test
  void togetherIsAsOneByOne(Seed seed) throws NamespaceException, IOException {
    Random random = seed.random();
    int first = 1; // of the workers that live
    for (int round = 0; round < ROUNDS; round++) {
      int slot = random.nextInt(2);
      int worker = first + random.nextInt(WORKERS);
      switch (random.nextInt(6)) {
        case 0 -> addAll(slot, first, random);
        case 1 -> {
          together.blocks.removeAll(slot, holder -> {});
          apart.blocks.removeAll(slot, holder -> {});
        }
        case 2 -> {
          int block = random.nextInt(BLOCKS);
          together.blocks.remove(slot, block, worker);
          apart.blocks.remove(slot, block, worker);
        }
        case 3 -> {
          if (random.nextInt(50) == 0) {
            int id = first + WORKERS;
            together.blocks.workers().add(id, "host", id);
            together.blocks.workers().remove(first);
            apart.blocks.workers().add(id, "host", id);
            apart.blocks.workers().remove(first);
            first++;
          }
          assertThat(together.blocks.sweep(1)).isEqualTo(apart.blocks.sweep(1));
        }
        default -> report(slot, worker, random);
      }
      assertThat(together.rows()).as("round %d", round).isEqualTo(apart.rows());
    }
  }

  private void addAll(int slot, int first, Random random) {
    int[] places = new int[random.nextInt(BLOCKS)];
    for (int block = 0; block < places.length; block++) {
      // One of them may be gone, or not here yet.
      places[block] = Place.of(Math.max(1, first - 1 + random.nextInt(WORKERS + 2)), 1);
    }
    together.blocks.addAll(slot, places);
    for (int block = 0; block < places.length; block++) {
      if (apart.blocks.workers().isLive(Place.worker(places[block]))) {
        apart.askElsewhere();
        apart.blocks.add(slot, block, places[block]);
      }
    }
  }

  private void report(int slot, int worker, Random random) {
    for (int i = random.nextInt(3 * BLOCKS); i > 0; i--) {
      int block = random.nextInt(BLOCKS);
      boolean isWith = together.blocks.isWith(slot, block, worker);
      apart.askElsewhere();
      assertThat(apart.blocks.isWith(slot, block, worker)).isEqualTo(isWith);
      int place = Place.of(worker, random.nextInt(3));
      together.blocks.add(slot, block, place);
      apart.askElsewhere();
      apart.blocks.add(slot, block, place);
    }
  }

  @Test
  void noMoreBlocksAreGivenThanAreAskedFor() {
    together.blocks.addAll(0, new int[] {Place.of(1, 0), Place.of(1, 0), Place.of(1, 0)});
    assertThat(together.blocks.of(0, 1, 1)).extracting(BlockCopies::block).containsExactly(1);
    assertThat(together.blocks.of(0, 1, Integer.MAX_VALUE)).hasSize(2);
    assertThat(together.blocks.of(0, Integer.MIN_VALUE, 1)).isEmpty();
  }

  /** Each once through all of the others would take hours, in which no master does anything. */
  @Test
  void aMillionBlocksOfOneFileTakeNoTime() {
    Assertions.assertTimeoutPreemptively(DEADLINE, this::addAMillion);
    assertThat(together.blocks.size()).isEqualTo(MOST_BLOCKS);
    assertThat(together.blocks.isWhole(0)).isTrue();
  }

  private void addAMillion() {
    int[] places = new int[MOST_BLOCKS];
    for (int block = 0; block < places.length; block++) {
      places[block] = Place.of(1 + block % WORKERS, 0);
    }
    together.blocks.addAll(0, places);
    together.blocks.addAll(0, places);
    for (int block = 0; block < MOST_BLOCKS; block++) {
      if (together.blocks.isWith(0, block, 1)) {
        together.blocks.add(0, block, Place.of(1, 1));
      }
    }
  }
}
