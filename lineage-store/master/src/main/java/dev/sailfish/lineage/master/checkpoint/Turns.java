package dev.sailfish.lineage.master.checkpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What each worker has in hand, or is going to have. */
final class Turns {
  /** Of one mount at one worker, so that small files do not wait for heartbeats. */
  private static final int MOST_FILES = 64;

  private static final long MOST_BYTES = 32L << 20;

  private final Map<Long, Turn> all = new LinkedHashMap<>();
  private final Map<Integer, Assigned> assigned = new HashMap<>(); // by worker
  private final Map<At, Load> loads = new HashMap<>();
  private final Map<Integer, Long> endedNs = new HashMap<>(); // the last end at each worker

  /** What a worker is going to be told: the urgent files before the others. */
  private record Assigned(Deque<Turn> urgent, Deque<Turn> others) {
    Assigned() {
      this(new ArrayDeque<>(), new ArrayDeque<>());
    }

    Deque<Turn> of(Turn turn) {
      return turn.source() == Turn.Source.URGENT ? urgent : others;
    }

    int size() {
      return urgent.size() + others.size();
    }
  }

  private record At(int worker, String mount) {}

  /** What a worker has in hand of one mount. */
  private record Load(int files, long bytes) {
    private static final Load NONE = new Load(0, 0);

    Load plus(int more, long moreBytes) {
      return new Load(files + more, bytes + moreBytes);
    }
  }

  void clear() {
    all.clear();
    assigned.clear();
    loads.clear();
    endedNs.clear();
  }

  /** The turn of a file, or null. */
  Turn of(long fid) {
    return all.get(fid);
  }

  /** In the order in which they were chosen; not to be changed meanwhile. */
  Collection<Turn> all() {
    return all.values();
  }

  /** How many files wait for the heartbeat of their worker. */
  int assigned() {
    return assigned.values().stream().mapToInt(Assigned::size).sum();
  }

  /** How many files a worker has in hand, or will have. */
  int of(Integer worker) {
    return loads.entrySet().stream()
            .filter(entry -> entry.getKey().worker == worker)
            .mapToInt(entry -> entry.getValue().files)
            .sum()
        + assigned.getOrDefault(worker, new Assigned()).size();
  }

  /** Files that workers have in hand. */
  int withWorkers() {
    return loads.values().stream().mapToInt(Load::files).sum();
  }

  /** A worker is chosen for a file that has no turn. */
  void add(Turn turn) {
    all.put(turn.fid(), turn);
    assigned
        .computeIfAbsent(turn.place().worker(), worker -> new Assigned())
        .of(turn)
        .addLast(turn);
  }

  /** A worker says that it has a file in hand that has no turn: another leader has ordered it. */
  void adopt(Turn turn, long nowNs) {
    all.put(turn.fid(), turn);
    turn.move(TurnState.ORDERED, nowNs);
    turn.move(TurnState.TOLD, nowNs);
    count(turn, 1);
  }

  private void count(Turn turn, int change) {
    CheckpointPlace place = turn.place();
    loads.compute(
        new At(place.worker(), place.mount()),
        (at, load) -> {
          Load now =
              Objects.requireNonNullElse(load, Load.NONE).plus(change, change * place.length());
          return now.files == 0 ? null : now;
        });
  }

  /**
   * Takes what a worker is to be told now.
   *
   * @param limits how many files of a mount it may have in hand
   */
  List<Turn> order(int worker, Limits limits, long nowNs) {
    List<Turn> ordered = new ArrayList<>();
    Assigned queue = assigned.getOrDefault(worker, new Assigned());
    List<Turn> waiting = new ArrayList<>(queue.urgent);
    waiting.addAll(queue.others);
    for (Turn turn : waiting) {
      String mount = turn.place().mount();
      Load load = loads.getOrDefault(new At(worker, mount), Load.NONE);
      boolean isSmall = load.files < MOST_FILES && load.bytes < MOST_BYTES;
      boolean hasRoom =
          limits.isAiling(mount) ? load.files == 0 : load.files < limits.atOnce() || isSmall;
      if (hasRoom) {
        queue.of(turn).remove(turn);
        turn.move(TurnState.ORDERED, nowNs);
        count(turn, 1);
        ordered.add(turn);
      }
    }
    return ordered;
  }

  /**
   * Ends turns that the policy has given and that the worker was not told of, so that what it is
   * told is chosen by how things are then.
   *
   * @return those, the last one first
   */
  List<Turn> takeBack(int worker, long nowNs) {
    List<Turn> taken = new ArrayList<>(assigned.getOrDefault(worker, new Assigned()).others);
    taken.removeIf(turn -> turn.source() != Turn.Source.POLICY);
    taken.forEach(turn -> end(turn, nowNs));
    Collections.reverse(taken);
    return taken;
  }

  /** How much a worker may have in hand. */
  interface Limits {
    int atOnce();

    /** The last copy to a mount has failed: one file at a time finds out whether it is well. */
    boolean isAiling(String mount);
  }

  /** Those that a worker was told of. */
  List<Turn> with(int worker) {
    return all.values().stream()
        .filter(turn -> turn.isWithWorker() && turn.place().worker() == worker)
        .toList();
  }

  /**
   * A turn is over.
   *
   * @return how long its worker had for it, in ns: since it was ordered, or since the last one
   *     before it ended there; 0 if it was not ordered
   */
  long end(Turn turn, long nowNs) {
    int worker = turn.place().worker();
    long spentNs = 0;
    if (turn.isWithWorker()) {
      count(turn, -1);
      long lastNs = endedNs.getOrDefault(worker, turn.sinceNs());
      spentNs = nowNs - (lastNs - turn.sinceNs() > 0 ? lastNs : turn.sinceNs());
      endedNs.put(worker, nowNs);
    } else if (turn.state() == TurnState.ASSIGNED) {
      assigned.get(worker).of(turn).remove(turn);
    }
    turn.move(TurnState.OVER, nowNs);
    all.remove(turn.fid());
    return spentNs;
  }

  /** Forgets workers that are gone and have nothing. */
  void keep(Collection<Integer> workers) {
    assigned.keySet().retainAll(workers);
    endedNs.keySet().retainAll(workers);
  }
}
