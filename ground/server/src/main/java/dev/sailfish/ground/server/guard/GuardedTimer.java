package dev.sailfish.ground.server.guard;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * One daemon thread, or several, for work at times, of which an Error is not kept quiet: see {@link
 * ErrorGuard}.
 */
public final class GuardedTimer extends ScheduledThreadPoolExecutor {
  /**
   * @param threadName of its thread
   */
  public GuardedTimer(String threadName) {
    this(threadName, 1);
  }

  /**
   * @param threads how many there are
   */
  public GuardedTimer(String threadName, int threads) {
    super(threads, BoundedPool.daemons(threadName));
  }

  @Override
  protected void afterExecute(Runnable work, Throwable thrown) {
    super.afterExecute(work, thrown);
    ErrorGuard.check(thrown);
    if (work instanceof Future<?> future && future.isDone() && !future.isCancelled()) {
      try {
        future.get();
      } catch (ExecutionException e) {
        ErrorGuard.check(e.getCause());
      } catch (CancellationException e) {
        return; // cancelled meanwhile
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
