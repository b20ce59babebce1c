package dev.sailfish.lineage.master;

import dev.sailfish.lineage.master.namespace.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the leader knows of workers beside the journal: how much room each has, and which files'
 * blocks each is to delete. What is lost here with the leader is found again: workers tell their
 * room, and ask for files of which they have blocks. Thread-safe.
 */
final class WorkerWatch {
  /** Of each worker; what is beyond that it asks for. */
  private static final int MOST_UNNEEDED = 100_000;

  private static final int MOST_IN_ANSWER = 10_000;

  private static final class Known {
    private final Deque<Long> unneeded = new ArrayDeque<>();
    private final Deque<Long> freed = new ArrayDeque<>();
    private long freeBytes;
  }

  private final Map<Integer, Known> workers = new HashMap<>();
  private boolean leads;
  private int turn;

  /** This master begins to lead, or does so no more: nothing is known. */
  synchronized void clear(boolean leading) {
    workers.clear();
    leads = leading;
  }

  /** A worker has blocks of a file that nobody needs any more. */
  synchronized void unneeded(long fid, int worker) {
    Known known = leads ? workers.computeIfAbsent(worker, number -> new Known()) : null;
    if (known != null && known.unneeded.size() < MOST_UNNEEDED) {
      known.unneeded.add(fid);
    }
  }

  /** A worker has blocks of a file that is below, too, and they are to go. */
  synchronized void freed(long fid, int worker) {
    Known known = leads ? workers.computeIfAbsent(worker, number -> new Known()) : null;
    if (known != null && known.freed.size() < MOST_UNNEEDED) {
      known.freed.add(fid);
    }
  }

  /** What a worker is told, once. */
  record Told(List<Long> unneeded, List<Long> freed) {}

  /**
   * A worker tells how much room it has.
   *
   * @return files whose blocks it is to delete
   */
  synchronized Told heard(int worker, long freeBytes) {
    Known known = workers.computeIfAbsent(worker, number -> new Known());
    known.freeBytes = freeBytes;
    return new Told(some(known.unneeded), some(known.freed));
  }

  private static List<Long> some(Deque<Long> waiting) {
    List<Long> taken = new ArrayList<>();
    while (!waiting.isEmpty() && taken.size() < MOST_IN_ANSWER) {
      taken.add(waiting.poll());
    }
    return taken;
  }

  /** Forgets all workers but these. */
  synchronized void keep(Collection<Integer> numbers) {
    workers.keySet().retainAll(numbers);
  }

  /**
   * Those that may take a file's blocks, the best first: one on the client's host, then those with
   * most room, in turns where they have about the same.
   *
   * @param live all workers
   * @param host the client's; may be empty
   * @param limit how many, at most
   */
  synchronized List<Worker> choose(List<Worker> live, String host, int limit) {
    turn++;
    Comparator<Worker> order =
        Comparator.comparing((Worker worker) -> !worker.host().equals(host))
            .thenComparing(worker -> -roomLog(worker))
            .thenComparing(worker -> (worker.number() + turn) % Math.max(1, live.size()));
    return live.stream().sorted(order).limit(limit).toList();
  }

  /** Half of the room or twice of it makes a difference; less does not. */
  private int roomLog(Worker worker) {
    Known known = workers.get(worker.number());
    return known == null ? 0 : Long.SIZE - Long.numberOfLeadingZeros(known.freeBytes);
  }
}
