package dev.sailfish.simulator;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The timer thread of one process: its work is events of the {@link Scheduler}. */
public final class VirtualTimer extends AbstractExecutorService
    implements ScheduledExecutorService {
  private static final long MOST_LATE_NS = 3_000_000;

  private final Scheduler scheduler;
  private final SimulatedProcess process;

  /**
   * @param process whose timer it is: when it is dead, nothing of the timer happens
   */
  public VirtualTimer(Scheduler scheduler, SimulatedProcess process) {
    this.scheduler = scheduler;
    this.process = process;
  }

  @Override
  public void execute(Runnable work) {
    later(0, work);
  }

  private void later(long delayNs, Runnable work) {
    if (!process.isAlive()) {
      throw new RejectedExecutionException(process + " is dead");
    }
    long lateNs = scheduler.drawNs(0, MOST_LATE_NS);
    scheduler.after(delayNs + lateNs, process + " timer", process, work);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
    Task<?> task = new Task<>(work);
    later(unit.toNanos(delay), task);
    return task;
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException("nobody gets a value from a timer");
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable work, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException("nobody does anything at a rate");
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable work, long initialDelay, long delay, TimeUnit unit) {
    Task<?> task = new Task<>(work);
    repeat(task, work, unit.toNanos(initialDelay), unit.toNanos(delay));
    return task;
  }

  private void repeat(Task<?> task, Runnable work, long waitNs, long delayNs) {
    later(
        waitNs,
        () -> {
          if (!task.isCancelled()) {
            work.run();
            repeat(task, work, delayNs, delayNs);
          }
        });
  }

  @Override
  public void shutdown() {
    process.die();
  }

  @Override
  public List<Runnable> shutdownNow() {
    process.die();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return !process.isAlive();
  }

  @Override
  public boolean isTerminated() {
    return !process.isAlive();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return !process.isAlive();
  }

  /** Work that may be called off. */
  private static final class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
    Task(Runnable work) {
      super(work, null);
    }

    @Override
    public V get(long timeout, TimeUnit unit)
        throws InterruptedException, ExecutionException, TimeoutException {
      throw new UnsupportedOperationException("nobody waits for a timer");
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException("nobody asks a timer");
    }

    @Override
    public int compareTo(Delayed other) {
      throw new UnsupportedOperationException("nobody compares timers");
    }
  }
}
