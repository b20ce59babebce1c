package dev.sailfish.hadoop.am.report;

import dev.sailfish.ground.wire.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the newest report, at most one a second, on a daemon thread of its own. A report that was
 * not sent yet when a newer one comes is never sent. When there is nothing new for a while it is
 * asked whether the last one is still known, and that one is sent again if not: the web process may
 * have been started again. What cannot be sent is tried again, after pauses that grow up to a
 * minute, and said in the log once for each time that it begins. Thread-safe.
 */
final class ReportSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSender.class);

  /** Between the beginnings of two. */
  static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

  /** After which silence it is asked what is known. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  /** A pause, and the last report. */
  private static final Duration CLOSING = SHORTEST_PAUSE.plus(ReportPost.DEADLINE);

  /** Brings one report to where it belongs. For one thread. */
  interface Post {
    /**
     * Waits until it is taken, a few seconds at most.
     *
     * @throws IOException when it is not, saying by whom and why
     */
    void post(JobReport report) throws IOException, InterruptedException;

    /**
     * Whether a report that was taken is still known. Waits a few seconds at most.
     *
     * @throws IOException when nobody says
     */
    boolean isKnown(JobReport report) throws IOException, InterruptedException;
  }

  private final Post post;
  private final Clock clock;
  private final Duration silence;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private JobReport newest; // null: all is sent
  private boolean closing;

  // Of the thread.
  private Duration pause = SHORTEST_PAUSE;
  private boolean fails;
  private boolean last; // it has begun to send when it was closed already
  private long begunNs;
  private JobReport sent; // the last one that was taken
  private boolean asks; // whether what take() gave is to be asked for

  private ReportSender(Post post, Clock clock, Duration silence) {
    this.post = post;
    this.clock = clock;
    this.silence = silence;
    begunNs = clock.nanoTime() - SHORTEST_PAUSE.toNanos();
    thread = new Thread(this::run, "job reports");
    thread.setDaemon(true);
  }

  /**
   * With its thread, which waits for the first report.
   *
   * @param silence after which it is asked what is known
   */
  static ReportSender start(Post post, Clock clock, Duration silence) {
    ReportSender sender = new ReportSender(post, clock, silence);
    sender.thread.start();
    return sender;
  }

  /** Takes the place of what was not sent yet. Returns at once. */
  void offer(JobReport report) {
    lock.lock();
    try {
      newest = report;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Tries once more to send what was not, for three seconds at most; then nothing is sent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(CLOSING.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }

  private void run() {
    try {
      for (JobReport report = take(); report != null; report = take()) {
        if (asks) {
          ask(report);
        } else {
          send(report);
        }
      }
    } catch (InterruptedException e) {
      LOG.info("The last report of the job is not sent: there is no time left");
    }
  }

  /** Waits for a report whose time has come, to be sent or asked for; null: there will be none. */
  private JobReport take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        asks = newest == null && sent != null;
        Duration wait = asks ? silence : closing ? SHORTEST_PAUSE : pause;
        long leftNs = begunNs + wait.toNanos() - clock.nanoTime();
        if (newest == null && closing) {
          return null;
        }
        if (asks && leftNs <= 0) {
          begunNs = clock.nanoTime();
          return sent;
        }
        if (newest != null && leftNs <= 0) {
          JobReport report = newest;
          newest = null;
          last = closing;
          begunNs = clock.nanoTime();
          return report;
        }
        boolean waits = newest != null || asks;
        changed.await(waits ? leftNs : LONGEST_PAUSE.toNanos(), TimeUnit.NANOSECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  private void send(JobReport report) throws InterruptedException {
    try {
      post.post(report);
      sent = report;
      if (fails) {
        LOG.info("The web process takes reports of the job again");
      }
      fails = false;
      pause = SHORTEST_PAUSE;
    } catch (IOException | RuntimeException | LinkageError e) {
      // An error that leaves the thread would end the ApplicationMaster.
      if (!fails) {
        LOG.warn(
            "The web process is not told of the job, which runs on all the same: {}."
                + " It is tried again, and not said again",
            e.getMessage() == null ? e.toString() : e.getMessage());
      }
      fails = true;
      pause = pause.multipliedBy(2);
      pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
      giveBack(report);
    }
  }

  /** One that is not known any more is sent again. */
  private void ask(JobReport report) throws InterruptedException {
    try {
      if (!post.isKnown(report)) {
        LOG.info("The web process does not know the job's report any more, sending it again");
        giveBack(report);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("the web process does not say whether it knows the job, asking again", e);
    }
  }

  /** Keeps it for another attempt, unless there is a newer one, or this was the last attempt. */
  private void giveBack(JobReport report) {
    lock.lock();
    try {
      if (newest == null && !last) {
        newest = report;
      }
    } finally {
      lock.unlock();
    }
  }
}
