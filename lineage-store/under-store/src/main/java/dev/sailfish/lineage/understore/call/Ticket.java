package dev.sailfish.lineage.understore.call;

import dev.sailfish.ground.wire.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** One call: what its caller and its thread know of each other. Guarded by its lock. */
final class Ticket<T> implements Runnable, Caller {
  private enum State {
    WAITING,
    RUNNING,
    ENDED
  }

  /** How often a waiting caller looks at the clock, which need not go like that of the JVM. */
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private final BoundedCalls calls;
  private final String what;
  private final Call<T> call;
  private final Consumer<? super T> late;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition end = lock.newCondition();
  private State state = State.WAITING;
  private boolean gone;
  private Thread thread;
  private T result;
  private Throwable failure;

  Ticket(BoundedCalls calls, String what, Call<T> call, Consumer<? super T> late) {
    this.calls = calls;
    this.what = what;
    this.call = call;
    this.late = late;
  }

  /** The caller's side. */
  T await(long untilNs, Duration deadline, Clock clock) throws IOException {
    lock.lock();
    try {
      while (state != State.ENDED) {
        long leftNs = untilNs - clock.nanoTime();
        if (leftNs <= 0) {
          boolean begun = state == State.RUNNING;
          leave();
          throw calls.timeout(what, deadline, begun);
        }
        end.awaitNanos(Math.min(leftNs, LOOK_NS));
      }
    } catch (InterruptedException e) {
      if (state != State.ENDED) {
        leave();
        Thread.currentThread().interrupt();
        throw (IOException) new InterruptedIOException("interrupted: " + what).initCause(e);
      }
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return result();
  }

  private void leave() {
    gone = true;
    if (state == State.RUNNING) {
      calls.stuck(what);
      thread.interrupt();
    } else {
      state = State.ENDED;
      calls.withdraw(this, () -> late.accept(null));
    }
  }

  private T result() throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return result;
  }

  @Override
  public boolean isGone() {
    lock.lock();
    try {
      return gone;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void deliver(Runnable delivery) {
    lock.lock();
    try {
      if (!gone) {
        delivery.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The thread's side. */
  @Override
  public void run() {
    if (!begin()) {
      return;
    }
    T returned = null;
    Throwable thrown = null;
    try {
      returned = call.run(this);
    } catch (IOException | RuntimeException | Error e) {
      thrown = e;
    }
    boolean wanted = end(returned, thrown);
    try {
      if (!wanted) {
        late.accept(returned);
      }
    } finally {
      calls.ended(!wanted);
    }
    if (!wanted && thrown instanceof Error e) {
      throw e;
    }
  }

  private boolean begin() {
    lock.lock();
    try {
      if (state != State.WAITING) {
        return false;
      }
      state = State.RUNNING;
      thread = Thread.currentThread();
      calls.begun();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the caller is there to take what came. */
  private boolean end(T returned, Throwable thrown) {
    lock.lock();
    try {
      result = returned;
      failure = thrown;
      state = State.ENDED;
      thread = null;
      Thread.interrupted(); // meant for the call alone
      end.signalAll();
      return !gone;
    } finally {
      lock.unlock();
    }
  }
}
