package dev.sailfish.lineage.worker.under;

import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which workers have blocks of a file, as the master has said in one answer.
 *
 * @param blocks the workers of each block that is somewhere, the fastest first
 */
record Located(Map<Integer, List<WorkerAddress>> blocks) {
  /** A worker of a place is its number without these bits. */
  private static final int TIER_BITS = 2;

  static Located of(OpenFileResponse told) {
    Map<Integer, WorkerAddress> workers = new HashMap<>();
    told.getWorkersList().forEach(worker -> workers.put(worker.getNumber(), worker));
    Map<Integer, List<WorkerAddress>> blocks = new HashMap<>();
    for (BlockLocation block : told.getBlocksList()) {
      List<WorkerAddress> holders =
          block.getPlacesList().stream()
              .map(place -> workers.get(worker(place)))
              .filter(Objects::nonNull)
              .toList();
      blocks.put(block.getBlock(), holders);
    }
    return new Located(blocks);
  }

  /** The number of a place's worker. */
  static int worker(int place) {
    return place >>> TIER_BITS;
  }

  /** Those of one block; empty when it is nowhere. */
  List<WorkerAddress> holders(int block) {
    return blocks.getOrDefault(block, List.of());
  }
}
