package dev.sailfish.lineage.client.block;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Threads that take work off those that read: as many as the process has processors that no stream
 * keeps busy. Where all are, readers do everything themselves, and nothing is slower for it. What
 * is given here must be of use, not needed: it may be refused. Thread-safe.
 */
final class SpareProcessors {
  /** Shared by all clients of a process, as its processors are. */
  static final SpareProcessors OF_PROCESS =
      new SpareProcessors(Runtime.getRuntime().availableProcessors(), System::nanoTime);

  /** The end of one block is seen to while the next one is read: two may share a processor. */
  private static final int HELPERS_EACH = 2;

  /** A stream that has ended counts for so long to twice as long: it may go on in another block. */
  private static final long OF_LATE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final int processors;
  private final LongSupplier nanoClock;
  private final ThreadPoolExecutor threads;
  private int streams;
  private int helpers;

  // The most streams at a time, in the period that goes on and in the one before.
  private long periodNs;
  private int most;
  private int mostBefore;

  SpareProcessors(int processors, LongSupplier nanoClock) {
    this.processors = processors;
    this.nanoClock = nanoClock;
    this.periodNs = nanoClock.getAsLong();
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
    countStreams();
  }

  private void countStreams() {
    long pastNs = nanoClock.getAsLong() - periodNs;
    if (pastNs >= OF_LATE_NS) {
      mostBefore = pastNs < 2 * OF_LATE_NS ? most : streams;
      most = streams;
      periodNs += pastNs;
    }
    most = Math.max(most, streams);
  }

  /** Whether there is a processor that no stream has kept busy of late. */
  synchronized boolean isAny() {
    countStreams();
    return helpers < HELPERS_EACH * (processors - Math.max(most, mostBefore));
  }

  /** Once for each {@link #streamBegins}. */
  synchronized void streamEnds() {
    streams--;
  }

  /** Has something done if a processor is free; says whether it will be. */
  boolean offer(Runnable work) {
    synchronized (this) {
      if (!isAny()) {
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
