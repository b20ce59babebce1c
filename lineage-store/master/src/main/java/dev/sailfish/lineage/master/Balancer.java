package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.BlockMoves.Block;
import dev.sailfish.lineage.master.BlockMoves.Wanted;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.HeldFile;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.protocol.wire.BalanceRequest;
import dev.sailfish.lineage.protocol.wire.BalanceResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Moves blocks from the fullest worker to the emptiest, as much at a time as is asked for; blocks
 * that are pinned stay. For the thread that holds the state.
 */
final class Balancer {
  private static final int FILES_PER_STEP = 50_000;
  private static final int PERCENT = 100;

  private final BlockMoves moves;
  private final WorkerStates states;
  private int next;

  Balancer(BlockMoves moves, WorkerStates states) {
    this.moves = moves;
    this.states = states;
  }

  /** How full a worker will be when what is moved now has been. */
  private record Use(Worker worker, long usedBytes, long capacityBytes) {
    double share() {
      return capacityBytes == 0 ? 0 : (double) usedBytes / capacityBytes;
    }
  }

  BalanceResponse balance(Namespace namespace, BalanceRequest asked, long nowNs) {
    moves.settle(namespace, nowNs);
    List<Use> uses = new ArrayList<>();
    for (Worker worker : namespace.workers()) {
      WorkerStates.Known known = states.of(worker.number());
      if (known != null && !namespace.uses().holders().isDraining(worker.number())) {
        uses.add(use(worker, known));
      }
    }
    uses.sort(Comparator.comparingDouble(Use::share));
    BalanceResponse.Builder response =
        BalanceResponse.newBuilder().setMovedBytes(moves.takeMovedBytes());
    if (uses.isEmpty()) {
      return response.setBalanced(true).build();
    }
    Use emptiest = uses.get(0);
    Use fullest = uses.get(uses.size() - 1);
    double difference = fullest.share() - emptiest.share();
    boolean isEven = difference * PERCENT < Math.max(1, asked.getThreshold());
    if (!isEven) {
      // So much that both are equally full then, were they of one size.
      long smaller = Math.min(fullest.capacityBytes(), emptiest.capacityBytes());
      long wanted = Math.min(asked.getBytes(), (long) (difference / 2 * smaller));
      plan(namespace, fullest.worker(), emptiest.worker().number(), wanted, nowNs);
    }
    long moving = moves.bytes(wanted -> true);
    return response
        .setBalanced(isEven && moving == 0)
        .setBlocksCopying(moves.from(fullest.worker().number()))
        .setFullest((int) (fullest.share() * PERCENT))
        .setEmptiest((int) (emptiest.share() * PERCENT))
        .build();
  }

  private Use use(Worker worker, WorkerStates.Known known) {
    int number = worker.number();
    long leaving = moves.bytes(wanted -> wanted.source().number() == number);
    long coming = moves.bytes(wanted -> wanted.target() == number);
    return new Use(worker, known.usedBytes() - leaving + coming, known.capacityBytes());
  }

  private void plan(Namespace namespace, Worker source, int target, long bytes, long nowNs) {
    long[] left = {Math.min(bytes, states.freeBytes(target))};
    next =
        namespace
            .uses()
            .holders()
            .scan(
                next,
                FILES_PER_STEP,
                file -> {
                  if (left[0] > 0 && !namespace.uses().pins().isPinned(file.fid())) {
                    left[0] -= plan(file, source, target, left[0], nowNs);
                  }
                });
  }

  /** Returns how many bytes are to be moved. */
  private long plan(HeldFile file, Worker source, int target, long bytes, long nowNs) {
    long planned = 0;
    for (BlockCopies copies : file.blocks()) {
      Block block = new Block(file.fid(), copies.block());
      long length = file.lengthOf(copies.block());
      boolean isMovable = copies.isWith(source.number()) && !copies.isWith(target);
      boolean fits = planned + length <= bytes && moves.mayTake(target);
      if (isMovable && fits && !moves.isMoving(block)) {
        moves.add(new Wanted(block, source, target, length), true, nowNs);
        planned += length;
      }
    }
    return planned;
  }
}
