package dev.sailfish.lineage.worker.under;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Pieces of work that are done one after the other, each as one piece for a pool, so that others
 * have their turn between. Thread-safe.
 */
final class OrderedWork {
  private final Deque<Step> waiting = new ArrayDeque<>();
  private boolean running;

  private record Step(Executor pool, Runnable work) {}

  /**
   * Has something done after all that was handed in before.
   *
   * @param work must not throw
   * @throws RejectedExecutionException when the pool is full; then it is not done
   */
  synchronized void add(Executor pool, Runnable work) {
    if (running) {
      waiting.add(new Step(pool, work));
      return;
    }
    running = true;
    boolean isTaken = false;
    try {
      pool.execute(() -> run(work));
      isTaken = true;
    } finally {
      running &= isTaken;
    }
  }

  /** Whether nothing is done, and nothing waits. */
  synchronized boolean isIdle() {
    return !running;
  }

  private void run(Runnable first) {
    Runnable work = first;
    while (work != null) {
      work.run();
      work = next();
    }
  }

  /** What this thread is to do, because no other thread will; null when there is nothing. */
  private synchronized Runnable next() {
    Step step = waiting.poll();
    if (step == null) {
      running = false;
      return null;
    }
    try {
      step.pool().execute(() -> run(step.work()));
      return null;
    } catch (RejectedExecutionException e) {
      return step.work();
    }
  }
}
