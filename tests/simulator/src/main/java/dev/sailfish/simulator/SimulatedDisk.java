package dev.sailfish.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What a process writes, one entry behind the other, and what is left of that when it is killed. An
 * entry is kept some time after it was written, and the writer is told then. Of the entries that
 * were not kept when the process was killed the first ones may be kept all the same, and nobody is
 * told: as on a disk that was forced for nobody yet.
 *
 * @param <E> an entry; never copied
 */
public final class SimulatedDisk<E> {
  private record Pending<E>(E entry, Runnable done) {}

  private final Scheduler scheduler;
  private final long longestWriteNs;
  private final List<E> kept = new ArrayList<>();
  private final ArrayDeque<Pending<E>> pending = new ArrayDeque<>();
  private SimulatedProcess process;
  private long lastNs;

  /**
   * An empty disk.
   *
   * @param longestWriteNs until an entry is kept at most, if none is before it
   */
  public SimulatedDisk(Scheduler scheduler, long longestWriteNs) {
    this.scheduler = scheduler;
    this.longestWriteNs = longestWriteNs;
  }

  /** Another process writes from now on; the one before is dead, see {@link #crash}. */
  public void attach(SimulatedProcess writer) {
    process = writer;
    lastNs = 0;
  }

  /**
   * Writes an entry behind all others.
   *
   * @param done runs when it is kept; never, when the process is killed before
   */
  public void write(E entry, Runnable done) {
    pending.add(new Pending<>(entry, done));
    lastNs = Math.max(lastNs + 1, scheduler.nowNs() + scheduler.drawNs(0, longestWriteNs));
    scheduler.after(lastNs - scheduler.nowNs(), "disk", process, this::keepNext);
  }

  private void keepNext() {
    Pending<E> next = pending.remove();
    kept.add(next.entry());
    next.done().run();
  }

  /** The process is killed: chance decides how many of the entries on their way are kept. */
  public void crash() {
    int written = scheduler.random().nextInt(pending.size() + 1);
    for (int i = 0; i < written; i++) {
      kept.add(pending.remove().entry());
    }
    pending.clear();
  }

  /** All that was kept is gone. */
  public void lose() {
    kept.clear();
  }

  /** What the next process finds, in the order of writing. */
  public List<E> kept() {
    return List.copyOf(kept);
  }
}
