package dev.sailfish.ground.wire;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests to the one of several servers that leads, many at a time, of many threads, over one
 * connection that is opened when it is needed. When it breaks, or another server leads, requests
 * that have no answer are sent again, until their patience is over: so only those may go this way
 * that can be repeated without harm. They reach the server in the order in which they were
 * submitted, unless they are sent again. Thread-safe.
 *
 * <p>Threads that wait for answers do the work in turns: one of them sends for all and reads for
 * all, until it has what it waits for. A thread of this object's own does it when answers are
 * awaited for which no thread waits.
 */
public final class LeaderCalls implements Closeable {
  /** Requests that are on their way at a time; further ones wait here. */
  public static final int MOST_IN_FLIGHT = 1024;

  private final String caller;
  private final LeaderLine line;

  /** Whose turn it is, or null. */
  private final AtomicReference<Thread> driver = new AtomicReference<>();

  /** Threads whose turn it might be next. */
  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

  /** Answers for which no thread waits. */
  private final AtomicInteger unattended = new AtomicInteger();

  private final AtomicReference<Thread> attendant = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * Does not connect yet.
   *
   * @param network what the connections go over
   * @param addresses one that is not resolved is looked up for each connection
   * @param caller who calls, for the server's log
   * @param credentials who calls, for what it may do
   * @param deadline of each connect and of each reply
   */
  public LeaderCalls(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Credentials credentials,
      Duration deadline) {
    this.caller = caller;
    this.line = new LeaderLine(network, addresses, caller, credentials, deadline);
  }

  /**
   * Takes a request without payload. It may be sent only when its answer is awaited, by {@link
   * #await} or {@link #attend}.
   *
   * @param header its encoded request message
   * @param patience no attempt begins after that
   * @return the header of the reply, or a {@link RemoteException} when the leader refuses, another
   *     IOException when no server that leads can be reached. Completes on a thread that works for
   *     all: there nothing may be awaited
   */
  public CompletableFuture<byte[]> submit(
      Operation<?, ?> operation, byte[] header, Duration patience) {
    CompletableFuture<byte[]> reply = line.add(operation, header, patience);
    if (closed) {
      settle();
    }
    return reply;
  }

  /**
   * Waits for what comes of requests that were submitted.
   *
   * @throws IOException what it has failed with
   * @throws InterruptedIOException when the thread is interrupted; the requests may be done or not
   */
  public <T> T await(CompletableFuture<T> result) throws IOException {
    Thread self = Thread.currentThread();
    boolean isWaiting = false;
    try {
      while (!result.isDone()) {
        Clock.checkInterrupt("waiting for an answer");
        if (driver.compareAndSet(null, self)) {
          drive(result);
        } else if (driver.get() == self) {
          throw new IllegalStateException("a thread that gives answers must not wait for one");
        } else if (isWaiting) {
          LockSupport.park(this);
        } else {
          isWaiting = true;
          waiting.add(self);
          result.whenComplete((value, error) -> LockSupport.unpark(self));
        }
      }
    } finally {
      if (isWaiting) {
        waiting.remove(self);
      }
      wakeNext();
    }
    return get(result);
  }

  private void drive(CompletableFuture<?> result) {
    try {
      while (!result.isDone() && !closed && !Thread.currentThread().isInterrupted()) {
        line.turn();
      }
    } finally {
      leave();
    }
  }

  private void leave() {
    if (closed) {
      line.close();
    }
    driver.set(null);
    if (closed) {
      settle();
    }
  }

  /** Fails what has come after the end, unless another thread is about to do so. */
  private void settle() {
    if (driver.compareAndSet(null, Thread.currentThread())) {
      try {
        line.close();
      } finally {
        driver.set(null);
      }
    }
    wakeNext();
  }

  /** The thread that is woken takes the turn, or passes it on when it has its answer. */
  private void wakeNext() {
    if (driver.get() != null) {
      return;
    }
    Thread next = waiting.peek();
    if (next == null && unattended.get() > 0) {
      next = attendant.get();
    }
    if (next != null) {
      LockSupport.unpark(next);
    }
  }

  private static <T> T get(CompletableFuture<T> result) throws IOException {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Has a result come without anybody who waits for it.
   *
   * @return the same
   */
  public <T> CompletableFuture<T> attend(CompletableFuture<T> result) {
    if (!result.isDone()) {
      unattended.incrementAndGet();
      result.whenComplete((value, error) -> unattended.decrementAndGet());
      if (attendant.get() == null) {
        hire();
      } else if (driver.get() == null) {
        LockSupport.unpark(attendant.get());
      }
    }
    return result;
  }

  private void hire() {
    Thread thread = new Thread(this::attendAll, caller.replace(' ', '-'));
    thread.setDaemon(true);
    if (attendant.compareAndSet(null, thread)) {
      thread.start();
    }
  }

  private void attendAll() {
    while (!closed) {
      if (unattended.get() > 0 && driver.compareAndSet(null, Thread.currentThread())) {
        attendNow();
      } else {
        LockSupport.park(this);
      }
    }
    settle();
  }

  private void attendNow() {
    try {
      while (unattended.get() > 0 && !closed) {
        line.turn();
      }
    } finally {
      leave();
      wakeNext();
    }
  }

  /** Closes the connection; requests without an answer fail, and so do all later ones. */
  @Override
  public void close() {
    closed = true;
    line.wake();
    settle();
    LockSupport.unpark(attendant.get());
  }
}
