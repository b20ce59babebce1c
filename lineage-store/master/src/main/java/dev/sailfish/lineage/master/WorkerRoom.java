package dev.sailfish.lineage.master;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/** How much room some workers have, less what they were given here; for a short time. */
final class WorkerRoom {
  /** Free bytes that a worker keeps when it is given a block, beside those of the block. */
  private static final long SPARE = 1 << 20;

  private final Map<Integer, Long> room = new HashMap<>();

  WorkerRoom(Collection<Integer> workers, WorkerStates states) {
    workers.forEach(worker -> room.put(worker, states.freeBytes(worker)));
  }

  /** Whether one of them has room for a block of so many bytes. */
  boolean has(long length) {
    return room.values().stream().anyMatch(free -> free >= length + SPARE);
  }

  /**
   * The worker with most room, which is given a block.
   *
   * @param length of the block, in bytes
   * @param mayTake which workers are asked
   * @return empty: none of these has room
   */
  Optional<Integer> take(long length, IntPredicate mayTake) {
    Optional<Integer> target =
        room.entrySet().stream()
            .filter(each -> each.getValue() >= length + SPARE && mayTake.test(each.getKey()))
            .max(Comparator.comparing(Map.Entry::getValue))
            .map(Map.Entry::getKey);
    target.ifPresent(worker -> room.merge(worker, -length, Long::sum));
    return target;
  }
}
