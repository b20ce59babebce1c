package dev.sailfish.hadoop.am.heartbeat;

import dev.sailfish.hadoop.JobKey;
import dev.sailfish.hadoop.SailfishJob;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.yarn.util.Clock;
import org.apache.hadoop.yarn.util.MonotonicClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the allocator call the ResourceManager early where the job waits for its answer. A thread of
 * its own makes those calls; everything else is for any number of threads.
 */
public final class Heartbeats implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
  private static final long LAST_CALL_MS = TimeUnit.SECONDS.toMillis(2);

  private final boolean on;
  private final EarlyBeats beats;
  private final Clock clock;
  private Thread thread;
  private boolean closed;

  Heartbeats(int limit, Clock clock) {
    on = limit > 0;
    beats = new EarlyBeats(limit);
    this.clock = clock;
  }

  /** Of a job. */
  public static Heartbeats of(JobConf conf) {
    return new Heartbeats(
        SailfishJob.keys(conf).get(JobKey.EARLY_HEARTBEATS), new MonotonicClock());
  }

  /** Whether there are any but regular ones. */
  public boolean on() {
    return on;
  }

  /**
   * Begins.
   *
   * @param round what the allocator does with each heartbeat; called by a thread of its own
   */
  public synchronized void begin(Callable<Void> round) {
    if (on) {
      thread = new Thread(() -> run(round), "early heartbeats");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** The allocator has something new to ask for. */
  public synchronized void asked() {
    beats.asked(clock.getTime());
    notifyAll();
  }

  /** A task has ended, and its container does so soon. */
  public synchronized void ended() {
    beats.ended(clock.getTime());
    notifyAll();
  }

  /**
   * The ResourceManager has answered the calling thread.
   *
   * @param more whether there are containers that were asked for and not given
   */
  public synchronized void answered(boolean more) {
    beats.answered(Beat.current() == Beat.REGULAR, more);
  }

  private void run(Callable<Void> round) {
    Beat.EARLY.begin();
    try {
      while (awaitDue()) {
        try {
          round.call();
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          // The allocator's own thread comes by with its next heartbeat.
          LOG.warn("The ResourceManager was not asked early", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns false at the end. */
  private synchronized boolean awaitDue() throws InterruptedException {
    while (!closed) {
      long waitMs = beats.waitMs(clock.getTime());
      if (waitMs == 0) {
        beats.made(clock.getTime());
        return true;
      }
      wait(Math.max(0, waitMs)); // 0 is until the next occasion.
    }
    return false;
  }

  /**
   * Ends; waits a moment for a call that is on its way, so that none comes after the job has said
   * goodbye.
   */
  @Override
  public void close() {
    Thread ending;
    synchronized (this) {
      closed = true;
      notifyAll();
      ending = thread;
    }
    if (ending == null) {
      return;
    }
    try {
      ending.join(LAST_CALL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
