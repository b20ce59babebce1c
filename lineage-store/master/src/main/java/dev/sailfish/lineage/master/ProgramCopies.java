package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.BlockMoves.Block;
import dev.sailfish.lineage.master.BlockMoves.Wanted;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.HeldFile;
import dev.sailfish.lineage.master.namespace.Holders;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Programs;
import dev.sailfish.lineage.master.namespace.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Goes through the programs that lineage records name, some at a time, and has blocks copied that
 * fewer than two workers have: with a program that is lost all would be lost that it makes. For the
 * thread that holds the state.
 */
final class ProgramCopies {
  private static final int COPIES = 2;
  private static final int PROGRAMS_PER_STEP = 200;

  /** From the beginning of one round to that of the next one, at least. */
  private static final long ROUND_NS = 5_000_000_000L;

  private final BlockMoves moves;
  private final WorkerStates states;
  private String next = Programs.FIRST;
  private long begunNs;
  private boolean hasBegun;

  ProgramCopies(BlockMoves moves, WorkerStates states) {
    this.moves = moves;
    this.states = states;
  }

  void clear() {
    next = Programs.FIRST;
    hasBegun = false;
  }

  /** Looks at some programs. */
  void step(Namespace namespace, long nowNs) {
    boolean isFirst = next.equals(Programs.FIRST);
    if (isFirst && hasBegun && nowNs - begunNs < ROUND_NS) {
      return;
    }
    if (isFirst) {
      hasBegun = true;
      begunNs = nowNs;
    }
    Holders holders = namespace.uses().holders();
    Copying copying = new Copying(namespace.workers(), holders, nowNs);
    next =
        namespace
            .lineage()
            .programs()
            .scan(
                next,
                PROGRAMS_PER_STEP,
                fid -> holders.held(fid).ifPresent(file -> copying.look(file)));
  }

  /** Workers at one moment, and which of them take copies. */
  private final class Copying {
    private final Map<Integer, Worker> staying;
    private final WorkerRoom room;
    private final long nowNs;

    Copying(List<Worker> live, Holders holders, long nowNs) {
      this.nowNs = nowNs;
      staying =
          live.stream()
              .filter(worker -> !holders.isDraining(worker.number()))
              .collect(Collectors.toMap(Worker::number, worker -> worker));
      room = new WorkerRoom(staying.keySet(), states);
    }

    void look(HeldFile file) {
      for (BlockCopies copies : file.blocks()) {
        List<Worker> holders =
            Arrays.stream(copies.places())
                .mapToObj(place -> staying.get(Place.worker(place)))
                .filter(worker -> worker != null)
                .toList();
        Block block = new Block(file.fid(), copies.block());
        // Of what only workers have that are drained, the drain makes the first copy.
        if (!holders.isEmpty() && holders.size() < COPIES && !moves.isMoving(block)) {
          copy(block, holders.get(0), copies, file.lengthOf(copies.block()));
        }
      }
    }

    private void copy(Block block, Worker source, BlockCopies copies, long length) {
      room.take(length, worker -> !copies.isWith(worker) && moves.mayTake(worker))
          .ifPresent(target -> moves.add(new Wanted(block, source, target, length), false, nowNs));
    }
  }
}
