package dev.sailfish.lineage.worker;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.StoreUsage;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.lineage.protocol.wire.BlockRef;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.FileMarks;
import dev.sailfish.lineage.worker.block.PeerCopier;
import dev.sailfish.lineage.worker.block.Spares;
import dev.sailfish.lineage.worker.under.OrderedCopies;
import java.util.List;

/**
 * What a worker says of itself with each heartbeat, and does because of the answer. For the thread
 * of the link to the master.
 */
final class Duties {
  private static final int FILES_PER_HEARTBEAT = 1_000;

  /** Of files that are asked for soon, because something was pinned somewhere. */
  private static final int FILES_PER_HEARTBEAT_IN_HASTE = 10_000;

  private final Owner segments;
  private final BlockTable blocks;
  private final FileMarks marks;
  private final Spares spares;
  private final PeerCopier copier;
  private final OrderedCopies ordered;
  private BlockId asked;
  private long pinChanges = -1;
  private boolean inHaste = true;
  private boolean hasSealed;

  Duties(
      Owner segments,
      BlockTable blocks,
      FileMarks marks,
      Spares spares,
      PeerCopier copier,
      OrderedCopies ordered) {
    this.segments = segments;
    this.blocks = blocks;
    this.marks = marks;
    this.spares = spares;
    this.copier = copier;
    this.ordered = ordered;
  }

  /** Adds what this worker is like, and the files that it asks for. */
  void describe(WorkerHeartbeatRequest.Builder request) {
    marks.settle();
    StoreUsage usage = segments.usage();
    List<Long> sealed = blocks.takeSealedFiles(FILES_PER_HEARTBEAT_IN_HASTE);
    hasSealed = !sealed.isEmpty();
    for (Tier tier : Tier.values()) {
      request.addCapacityBytes(usage.capacityBytes(tier));
      request.addUsedBytes(usage.usedBytes(tier));
    }
    request
        .setBlocks(blocks.size())
        .setBlocksWriting(blocks.writing())
        .setPinnedBytes(marks.pinnedBytes())
        .setUnpinnedBytes(marks.unpinnedBytes())
        .setShortOfRoom(spares.isShort())
        .addAllNotCopied(copier.takeFailed())
        .addAllFids(sealed);
    ordered.describe(request);
    askForSome(request);
  }

  /**
   * Whether the master is to be heard soon again: blocks were sealed between the last two
   * heartbeats, or files are copied that it has ordered.
   */
  boolean isBusy() {
    return hasSealed || ordered.isBusy();
  }

  private void askForSome(WorkerHeartbeatRequest.Builder request) {
    int limit = inHaste ? FILES_PER_HEARTBEAT_IN_HASTE : FILES_PER_HEARTBEAT;
    long last = 0;
    for (int i = 0; i < limit; i++) {
      asked = blocks.next(asked);
      if (asked == null) {
        inHaste = false; // all round; from the beginning the next time
        return;
      }
      if (asked.fid() != last) {
        request.addFids(asked.fid());
      }
      last = asked.fid();
    }
  }

  /** Does what the master wants. */
  void told(WorkerHeartbeatRequest request, WorkerHeartbeatResponse response) {
    blocks.setDraining(response.getDraining());
    if (response.getOwnerCount() == request.getFidsCount()) {
      boolean[] pinned = new boolean[request.getFidsCount()];
      response.getPinnedList().forEach(index -> pinned[index] = true);
      List<String> owners = response.getOwnersList();
      for (int i = 0; i < pinned.length; i++) {
        int owner = response.getOwner(i);
        marks.told(request.getFids(i), owner == 0 ? null : owners.get(owner - 1), pinned[i]);
      }
    }
    if (response.getPinChanges() != pinChanges) {
      pinChanges = response.getPinChanges();
      inHaste = true;
      asked = null;
    }
    for (BlockRef spare : response.getSpareList()) {
      spares.add(new BlockId(spare.getFid(), spare.getBlock()));
    }
    response.getCopiesList().forEach(copier::order);
    if (response.hasCheckpoints()) {
      ordered.told(response.getCheckpoints());
    }
    for (BlockRef moved : response.getMovedList()) {
      blocks.giveAway(new BlockId(moved.getFid(), moved.getBlock()));
    }
  }
}
