package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.BlockMoves.Block;
import dev.sailfish.lineage.master.BlockMoves.Wanted;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.HeldFile;
import dev.sailfish.lineage.master.namespace.Holders;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Goes through what only the cluster has and nothing makes again, some at a time: programs that
 * lineage records name, and deleted inputs that are kept for them. Has blocks copied that fewer
 * than two workers have: with such a file all would be lost that is made of it. For the thread that
 * holds the state.
 */
final class SecondCopies {
  private static final int COPIES = 2;
  private static final int FILES_PER_STEP = 200;
  private static final String FIRST = "";

  /** From the beginning of one round to that of the next one, at least. */
  private static final long ROUND_NS = 5_000_000_000L;

  private final BlockMoves moves;
  private final WorkerStates states;
  private final Rounds programs = new Rounds();
  private final Rounds inputs = new Rounds();

  SecondCopies(BlockMoves moves, WorkerStates states) {
    this.moves = moves;
    this.states = states;
  }

  void clear() {
    programs.clear();
    inputs.clear();
  }

  /** Looks at some files. */
  void step(Namespace namespace, long nowNs) {
    Holders holders = namespace.uses().holders();
    Copying copying = new Copying(namespace.workers(), holders, nowNs);
    LongConsumer look = fid -> holders.held(fid).ifPresent(copying::look);
    programs.step(namespace.lineage().programs()::scan, look, nowNs);
    inputs.step(namespace.keptInputs()::scan, look, nowNs);
  }

  /** Gives the ids of some files, and where to go on; FIRST in place of the end. */
  private interface Scan {
    String from(String after, int limit, LongConsumer fids);
  }

  /** How far the rounds through one kind of files are. */
  private static final class Rounds {
    private String next = FIRST;
    private long begunNs;
    private boolean hasBegun;

    void clear() {
      next = FIRST;
      hasBegun = false;
    }

    void step(Scan scan, LongConsumer look, long nowNs) {
      boolean isFirst = next.equals(FIRST);
      if (isFirst && hasBegun && nowNs - begunNs < ROUND_NS) {
        return;
      }
      if (isFirst) {
        hasBegun = true;
        begunNs = nowNs;
      }
      next = scan.from(next, FILES_PER_STEP, look);
    }
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
