package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.FileBlocks;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Says where blocks are in one answer, and remembers which workers that names. */
final class Locator {
  /** Blocks of a file that is located in passing, at most: a larger one is asked for itself. */
  private static final int FEW_BLOCKS = 50;

  private final Namespace namespace;
  private final Set<Integer> named = new HashSet<>();

  Locator(Namespace namespace) {
    this.namespace = namespace;
  }

  /**
   * Where blocks of a file are, in their order; one that is nowhere is left out.
   *
   * @param limit how many blocks are asked for, at most
   */
  List<BlockLocation> locate(long fid, int first, int limit) throws NamespaceException {
    List<BlockLocation> locations = new ArrayList<>();
    for (BlockCopies block : namespace.blocks(fid, first, limit)) {
      locations.add(StoreMessages.location(block));
      for (int place : block.places()) {
        named.add(Place.worker(place));
      }
    }
    return locations;
  }

  /** Where all blocks of a file are, if it is complete and they are few. */
  Optional<FileBlocks> locate(FileInfo file) throws NamespaceException {
    if (!file.isComplete() || file.length() > FEW_BLOCKS * file.blockSize()) {
      return Optional.empty();
    }
    FileBlocks.Builder blocks = FileBlocks.newBuilder().setFid(file.fid());
    return Optional.of(blocks.addAllBlocks(locate(file.fid(), 0, FEW_BLOCKS)).build());
  }

  /** A worker on a host that takes new blocks. */
  Optional<WorkerAddress> near(String host) {
    return namespace.workers().stream()
        .filter(worker -> worker.host().equals(host))
        .filter(worker -> !namespace.uses().holders().isDraining(worker.number()))
        .findFirst()
        .map(StoreMessages::address);
  }

  /** All workers that were named. */
  Stream<Worker> named() {
    return namespace.workers().stream().filter(worker -> named.contains(worker.number()));
  }
}
