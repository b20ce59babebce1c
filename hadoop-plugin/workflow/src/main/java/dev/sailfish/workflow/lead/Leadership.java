package dev.sailfish.workflow.lead;

import java.io.IOException;

/**
 * Takes the lock and keeps it. Who has not heard for some time that it still has the lock does not
 * work, as another one may have it: that time is shorter than the one after which it is lost. Two
 * that work at once would cost work, and no file: a second recompute of a file takes the first
 * one's place. Thread-safe.
 */
public final class Leadership {
  private final Lock lock;
  private final long doubtNs;
  private LeaderState state = LeaderState.STANDBY;
  private long heardNs;

  /**
   * Stands by.
   *
   * @param doubtNs for how long it works without having heard that it has the lock
   */
  public Leadership(Lock lock, long doubtNs) {
    this.lock = lock;
    this.doubtNs = doubtNs;
  }

  /**
   * Tries to get or to keep the lock.
   *
   * @param nowNs from any beginning
   * @throws IOException when the store does not answer
   */
  public synchronized void round(long nowNs) throws IOException {
    switch (state) {
      case STANDBY -> stand(nowNs);
      case LEADING -> lead(nowNs);
      case STOPPED -> throw new IllegalStateException("the manager was stopped");
    }
  }

  private void stand(long nowNs) throws IOException {
    if (lock.take()) {
      heardNs = nowNs;
      move(LeaderState.LEADING);
    }
  }

  private void lead(long nowNs) throws IOException {
    try {
      if (lock.keep()) {
        heardNs = nowNs;
      } else {
        move(LeaderState.STANDBY);
      }
    } catch (IOException e) {
      if (nowNs - heardNs >= doubtNs) {
        move(LeaderState.STANDBY);
      }
      throw e;
    }
  }

  private void move(LeaderState next) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(next + " cannot follow " + state);
    }
    state = next;
  }

  /** Whether this manager may work now. */
  public synchronized boolean isLeading(long nowNs) {
    return state == LeaderState.LEADING && nowNs - heardNs < doubtNs;
  }

  /** How it is. */
  public synchronized LeaderState state() {
    return state;
  }

  /** Ends it, and gives the lock back. */
  public synchronized void stop() throws IOException {
    if (state != LeaderState.STOPPED) {
      move(LeaderState.STOPPED);
      lock.release();
    }
  }
}
