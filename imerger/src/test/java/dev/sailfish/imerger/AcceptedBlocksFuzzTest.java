package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Manifests in plans with ranges that overlap, are negative or huge: refused, or each block once.
 */
@Seeded
class AcceptedBlocksFuzzTest {
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 100_000);
  private static final int[] EDGES = {
    -1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 3, AcceptedBlocks.MAX_BLOCKS, 0
  };

  private static int number(SplittableRandom random) {
    return random.nextInt(8) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(12);
  }

  private static PlanPartitionResponse plan(SplittableRandom random) {
    PlanPartitionResponse.Builder plan = PlanPartitionResponse.newBuilder();
    for (int w = random.nextInt(4); w > 0; w--) {
      WinnerManifest.Builder winner =
          WinnerManifest.newBuilder()
              .setMap(random.nextInt(20) == 0 ? number(random) : 3 * w)
              .setAttempt(random.nextInt(2))
              .setBlockAttempt(random.nextInt(2))
              .setKnown(true);
      for (int b = random.nextInt(3); b > 0; b--) {
        ChunkBlocks.Builder blocks = ChunkBlocks.newBuilder().setChunk(random.nextInt(3));
        for (int s = random.nextInt(5); s > 0; s--) {
          blocks.addSequences(number(random));
        }
        winner.addBlocks(blocks);
      }
      plan.addWinners(winner);
    }
    return plan.build();
  }

  @Test
  void aPlanIsRefusedOrEveryBlockHasARankOfItsOwn(SplittableRandom random) {
    int taken = 0;
    for (int round = 0; round < ROUNDS; round++) {
      PlanPartitionResponse plan = plan(random);
      try {
        check(AcceptedBlocks.of(plan), plan);
        taken++;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("map=");
      }
    }
    assertThat(taken).isBetween(1, ROUNDS - 1);
  }

  private static void check(AcceptedBlocks accepted, PlanPartitionResponse plan) {
    assertThat(accepted.blocks()).isBetween(0, AcceptedBlocks.MAX_BLOCKS);
    if (accepted.blocks() > 1000) {
      return;
    }
    BitSet ranks = new BitSet();
    for (WinnerManifest winner : plan.getWinnersList()) {
      winner.getBlocksList().forEach(blocks -> checkRanks(accepted, winner, blocks, ranks));
    }
    assertThat(ranks.cardinality()).isEqualTo(accepted.blocks());
  }

  private static void checkRanks(
      AcceptedBlocks accepted, WinnerManifest winner, ChunkBlocks blocks, BitSet ranks) {
    for (int i = 0; i + 1 < blocks.getSequencesCount(); i += 2) {
      int first = blocks.getSequences(i);
      for (int s = first; s - first < blocks.getSequences(i + 1); s++) {
        int rank = accepted.rank(winner.getMap(), winner.getBlockAttempt(), s, blocks.getChunk());
        assertThat(rank).isBetween(0, accepted.blocks() - 1);
        assertThat(ranks.get(rank)).as("rank=%d twice in %s", rank, winner).isFalse();
        ranks.set(rank);
      }
    }
  }
}
