package dev.sailfish.metaserver.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Manifests with ranges that overlap, are negative, huge or no ranges: refused, or kept as told.
 */
@Seeded
class ManifestFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 50_000);
  private static final AttemptId ATTEMPT = new AttemptId(3, 1);
  private static final int[] EDGES = {
    -1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 1, 0, 1
  };

  /** Chunks 0 to 37 are of every partition, and have these numbers. */
  private static final PackedManifest.Chunks CHUNKS =
      new PackedManifest.Chunks() {
        @Override
        public int number(int partition, long chunk) {
          return chunk < 38 ? (int) chunk : -1;
        }

        @Override
        public long chunk(int partition, int number) {
          return number;
        }
      };

  private static int number(SplittableRandom random) {
    return random.nextInt(4) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(10);
  }

  private static List<PartitionManifest> told(SplittableRandom random) {
    List<PartitionManifest> told = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      PartitionManifest.Builder partition =
          PartitionManifest.newBuilder()
              .setPartition(number(random))
              .setRecords(number(random))
              .setRawBytes(number(random));
      for (int b = random.nextInt(1, 3); b > 0; b--) {
        ChunkBlocks.Builder blocks = ChunkBlocks.newBuilder().setChunk(random.nextInt(40) - 1);
        for (int s = random.nextInt(6); s > 0; s--) {
          blocks.addSequences(number(random));
        }
        partition.addBlocks(blocks);
      }
      told.add(partition.build());
    }
    return told;
  }

  @Test
  void aManifestIsRefusedOrKeptAsTold(SplittableRandom random) {
    int kept = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<PartitionManifest> told = told(random);
      try {
        byte[] packed = PackedManifest.of(ATTEMPT, told, CHUNKS, earlier -> null);
        ManifestArena arena = new ManifestArena(new ManifestMemory());
        Manifest manifest = new Manifest(arena, CHUNKS, ATTEMPT, packed);
        told.forEach(partition -> checkKept(manifest, partition));
        kept++;
      } catch (RequestRefusedException e) {
        assertThat(e.status()).isEqualTo(Status.BAD_REQUEST);
        assertThat(e).hasMessageContaining("manifest of").hasMessageContaining("partition=");
      }
    }
    assertThat(kept).isBetween(1, ROUNDS - 1);
  }

  private static void checkKept(Manifest manifest, PartitionManifest told) {
    WinnerManifest.Builder winner = WinnerManifest.newBuilder();
    manifest.describe(told.getPartition(), winner);
    assertThat(winner.getBlocksList()).isEqualTo(told.getBlocksList());
    assertThat(winner.getRecords()).isEqualTo(told.getRecords()).isNotNegative();
    for (ChunkBlocks blocks : told.getBlocksList()) {
      long end = 0;
      for (int i = 0; i < blocks.getSequencesCount(); i += 2) {
        assertThat((long) blocks.getSequences(i)).isGreaterThanOrEqualTo(end);
        assertThat(blocks.getSequences(i + 1)).isPositive();
        end = (long) blocks.getSequences(i) + blocks.getSequences(i + 1);
        assertThat(end).isLessThanOrEqualTo(Integer.MAX_VALUE);
      }
    }
  }
}
