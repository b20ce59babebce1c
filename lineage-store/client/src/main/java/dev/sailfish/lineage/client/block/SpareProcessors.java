package dev.sailfish.lineage.client.block;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that take work off those that read: as many as the process has processors that no stream
 * keeps busy. Where all are, readers do everything themselves, and nothing is slower for it. What
 * is given here must be of use, not needed: it may be refused. Thread-safe.
 */
final class SpareProcessors {
  /** Shared by all clients of a process, as its processors are. */
  static final SpareProcessors OF_PROCESS =
      new SpareProcessors(Runtime.getRuntime().availableProcessors());

  /** The end of one block is seen to while the next one is read: two may share a processor. */
  private static final int HELPERS_EACH = 2;

  private final int processors;
  private final ThreadPoolExecutor threads;
  private int streams;
  private int helpers;

  SpareProcessors(int processors) {
    this.processors = processors;
    threads =
        new ThreadPoolExecutor(
            0,
            HELPERS_EACH * processors,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> {
              Thread thread = new Thread(work, "store-client-spare");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** A stream begins, which keeps a processor busy until its {@link #streamEnds}. */
  synchronized void streamBegins() {
    streams++;
  }

  /** Once for each {@link #streamBegins}. */
  synchronized void streamEnds() {
    streams--;
  }

  /** Has something done if a processor is free; says whether it will be. */
  boolean offer(Runnable work) {
    synchronized (this) {
      if (helpers >= HELPERS_EACH * (processors - streams)) {
        return false;
      }
      helpers++;
    }
    try {
      threads.execute(
          () -> {
            try {
              work.run();
            } finally {
              helperEnds();
            }
          });
      return true;
    } catch (RejectedExecutionException e) {
      helperEnds(); // its threads are on their way back still
      return false;
    }
  }

  private synchronized void helperEnds() {
    helpers--;
  }
}
