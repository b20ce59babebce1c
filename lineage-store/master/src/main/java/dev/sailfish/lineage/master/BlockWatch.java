package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.BlockMoves.Block;
import dev.sailfish.lineage.master.BlockMoves.Wanted;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.HeldFile;
import dev.sailfish.lineage.master.namespace.Holders;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Worker;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Goes through all files, some at a time, while a worker is drained or somebody wants to know: has
 * blocks copied that only drained workers have, and counts files of which a block is nowhere. For
 * the thread that holds the state.
 */
final class BlockWatch {
  private static final int FILES_PER_STEP = 10_000;
  private static final int MOST_NAMED = 10;

  /** How far a worker is drained. */
  static final class Drain {
    private final boolean returns;
    private final Set<Long> writing;
    private long left = -1;
    private long found;
    private boolean hasRoom = true;

    Drain(boolean returns, Collection<Long> writing) {
      this.returns = returns;
      this.writing = new HashSet<>(writing);
    }

    /** Blocks that no other worker has; below 0 when not all files were looked at yet. */
    long left() {
      return left;
    }

    /** Files that were being written when it began, and still are. */
    int writing() {
      return writing.size();
    }

    /** Whether another worker had room for each block. */
    boolean hasRoom() {
      return hasRoom;
    }

    boolean isDone() {
      return left == 0 && writing.isEmpty();
    }
  }

  private final BlockMoves moves;
  private final WorkerStates states;
  private final Map<Integer, Drain> drains = new TreeMap<>();
  private int next;
  private Set<Long> lost = new HashSet<>();
  private long lostFiles;
  private Optional<Lost> known = Optional.empty();

  /**
   * Files of which a block is nowhere.
   *
   * @param fids some of them
   */
  record Lost(long files, List<Long> fids) {}

  BlockWatch(BlockMoves moves, WorkerStates states) {
    this.moves = moves;
    this.states = states;
  }

  void clear() {
    drains.clear();
    known = Optional.empty();
    begin();
  }

  private void begin() {
    next = 0;
    lost = new HashSet<>();
    lostFiles = 0;
    drains.values().forEach(drain -> drain.found = 0);
  }

  /** How far a worker is drained that is; begins to look if need be. */
  Drain drain(int worker, Namespace namespace) {
    Drain drain = drains.get(worker);
    boolean returns = namespace.uses().holders().isReturning(worker);
    if (drain == null || drain.returns != returns) {
      drain = new Drain(returns, namespace.uses().holders().writing());
      drains.put(worker, drain);
      begin();
    }
    return drain;
  }

  /** What is nowhere; empty when not all files were looked at yet. */
  Optional<Lost> lost() {
    return known;
  }

  /** Forgets that all files were looked at. */
  void lookAgain() {
    known = Optional.empty();
    begin();
  }

  /** Looks at some files. */
  void step(Namespace namespace, long nowNs) {
    Holders holders = namespace.uses().holders();
    List<Worker> live = namespace.workers();
    List<Integer> draining = live.stream().map(Worker::number).filter(holders::isDraining).toList();
    drains.keySet().retainAll(draining);
    draining.forEach(worker -> drain(worker, namespace));
    drains.values().forEach(drain -> drain.writing.removeIf(fid -> !holders.isWriting(fid)));
    Targets targets = new Targets(live, holders, nowNs);
    next = holders.scan(next, FILES_PER_STEP, file -> look(file, targets));
    if (next == 0) {
      end();
    }
  }

  private void end() {
    drains.values().forEach(drain -> drain.left = drain.found);
    drains.values().forEach(drain -> drain.hasRoom |= drain.found == 0);
    known = Optional.of(new Lost(lostFiles, List.copyOf(lost)));
    begin();
  }

  private void look(HeldFile file, Targets targets) {
    if (file.isBelow()) {
      return; // it is read again from there
    }
    if (file.blocks().size() < file.count()) {
      lostFiles++;
      if (lost.size() < MOST_NAMED) {
        lost.add(file.fid());
      }
    }
    if (!drains.isEmpty()) {
      file.blocks().forEach(copies -> keep(file, copies, targets));
    }
  }

  /** Has a block copied if all who have it are drained. */
  private void keep(HeldFile file, BlockCopies copies, Targets targets) {
    Worker source = null;
    for (int place : copies.places()) {
      Worker leaving = targets.leaving.get(Place.worker(place));
      if (leaving == null) {
        return;
      }
      source = leaving;
    }
    for (int place : copies.places()) {
      drains.get(Place.worker(place)).found++;
    }
    Block block = new Block(file.fid(), copies.block());
    if (source != null && !moves.isFull() && !moves.isMoving(block)) {
      targets.copy(block, source, file.lengthOf(copies.block()));
    }
  }

  /** Who takes blocks of workers that are drained: the one with most room. */
  private final class Targets {
    private final Map<Integer, Worker> leaving;
    private final WorkerRoom room;
    private final long nowNs;

    Targets(List<Worker> live, Holders holders, long nowNs) {
      this.nowNs = nowNs;
      leaving =
          live.stream()
              .filter(worker -> holders.isDraining(worker.number()))
              .filter(worker -> !holders.isReturning(worker.number()))
              .collect(Collectors.toMap(Worker::number, worker -> worker));
      room =
          new WorkerRoom(
              live.stream()
                  .map(Worker::number)
                  .filter(worker -> !holders.isDraining(worker))
                  .toList(),
              states);
    }

    void copy(Block block, Worker source, long length) {
      drains.get(source.number()).hasRoom = room.has(length);
      room.take(length, moves::mayTake)
          .ifPresent(target -> moves.add(new Wanted(block, source, target, length), false, nowNs));
    }
  }
}
