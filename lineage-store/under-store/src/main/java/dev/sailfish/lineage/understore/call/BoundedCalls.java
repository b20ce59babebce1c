package dev.sailfish.lineage.understore.call;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.UnderStoreTimeoutException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes calls that may hang, on threads of its own, while the caller waits until a deadline.
 *
 * <pre>
 *   waiting ──▶ running ──────────▶ ended            the caller has the answer
 *      │           │
 *      │           └─▶ stuck ─────▶ ended, late      the caller had its exception at the deadline;
 *      └─▶ gone                                      the thread is interrupted, and counts until
 *                                                    the call returns
 * </pre>
 *
 * <p>Of what hangs there are never more than {@code threads} calls, and never more than {@code
 * waiting} others wait: more are refused at once, and all are while every thread is stuck. Threads
 * are daemons, and end when they are idle. Thread-safe.
 */
public final class BoundedCalls implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedCalls.class);

  private final String where;
  private final int threads;
  private final Clock clock;
  private final ThreadPoolExecutor executor;
  private final AtomicInteger stuck = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();

  /** What nobody waits for and no thread had time for yet; guarded by itself. */
  private final Deque<Runnable> later = new ArrayDeque<>();

  /**
   * @param where the calls go, for messages and names of threads
   * @param threads how many calls are made at once
   * @param waiting how many more may wait for a thread
   */
  public BoundedCalls(String where, int threads, int waiting, Clock clock) {
    this.where = where;
    this.threads = threads;
    this.clock = clock;
    this.executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(waiting),
            work -> {
              Thread thread = new Thread(work, "under-store " + where);
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Makes a call, and waits for it.
   *
   * @param what it does, for messages: "reading a/b"
   * @param late runs once the call has ended, when the caller did not wait for that: with its
   *     result, or null when it failed or was never begun. It runs on a thread of these
   * @throws UnderStoreTimeoutException at the deadline
   * @throws UnderStoreException BUSY: nothing was begun, and {@code late} does not run
   * @throws java.io.InterruptedIOException when the caller is interrupted, which it stays
   * @throws IOException the call's own
   */
  public <T> T call(String what, Duration deadline, Call<T> call, Consumer<? super T> late)
      throws IOException {
    Ticket<T> ticket = new Ticket<>(this, what, call, late);
    long untilNs = clock.nanoTime() + deadline.toNanos();
    refuseWhenStuck(what);
    try {
      executor.execute(ticket);
    } catch (RejectedExecutionException e) {
      throw new UnderStoreException(
          Reason.BUSY,
          "%s of %s was not begun: %s; try again later, or raise 'waiting' or 'threads'"
              .formatted(what, where, executor.isShutdown() ? "it is unmounted" : usage()));
    }
    return ticket.await(untilNs, deadline, clock);
  }

  /** The same for a call whose end nobody has to clear up after. */
  public <T> T call(String what, Duration deadline, Call<T> call) throws IOException {
    return call(what, deadline, call, result -> {});
  }

  private void refuseWhenStuck(String what) throws UnderStoreException {
    if (stuck.get() >= threads) {
      throw new UnderStoreException(
          Reason.BUSY,
          "%s of %s was not begun: it does not answer, and all of its threads=%d hang; they go on by"
                  .formatted(what, where, threads)
              + " themselves when it answers, see what is wrong there");
    }
  }

  /**
   * Has something done that nobody waits for, and that may hang: at once if a thread is free, or
   * else when one comes back. It counts as stuck while it runs.
   *
   * @param work must not throw; who hands it in sees to it that there is not too much of it
   */
  public void later(Runnable work) {
    synchronized (later) {
      later.add(work);
    }
    try {
      executor.execute(this::doLater);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: waits for a thread", where, e);
    }
  }

  private void doLater() {
    for (Runnable work = nextLater(); work != null; work = nextLater()) {
      running.incrementAndGet();
      stuck.incrementAndGet();
      try {
        work.run();
      } finally {
        stuck.decrementAndGet();
        running.decrementAndGet();
      }
    }
  }

  private Runnable nextLater() {
    synchronized (later) {
      return later.poll();
    }
  }

  /** What goes on now. */
  public CallUsage usage() {
    return new CallUsage(running.get(), stuck.get(), executor.getQueue().size(), threads);
  }

  /** Takes no more calls; those that are there go on. Does not wait. */
  @Override
  public void close() {
    executor.shutdown();
  }

  /** A call is on a thread from now on. */
  void begun() {
    running.incrementAndGet();
  }

  /** The caller of a call that is on a thread has gone. */
  void stuck(String what) {
    stuck.incrementAndGet();
    LOG.warn("{}: {} has not ended in time; {}", where, what, usage());
  }

  /** The thread is back. */
  void ended(boolean wasStuck) {
    running.decrementAndGet();
    if (wasStuck) {
      stuck.decrementAndGet();
    }
    doLater();
  }

  /** Takes a call back that is not on a thread; its {@code late} runs on one. */
  void withdraw(Runnable ticket, Runnable late) {
    executor.remove(ticket);
    later(late);
  }

  UnderStoreTimeoutException timeout(String what, Duration deadline, boolean begun) {
    String ends = begun ? " has not ended, and may still happen" : " waited for a thread in vain";
    return new UnderStoreTimeoutException(
        "%s of %s%s: deadline=%d ms, %s. Look whether the under store answers, or raise the mount's %s"
            .formatted(
                what,
                where,
                ends,
                deadline.toMillis(),
                usage(),
                begun ? "deadline" : "number of threads"));
  }
}
