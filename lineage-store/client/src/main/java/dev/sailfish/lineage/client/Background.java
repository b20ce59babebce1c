package dev.sailfish.lineage.client;

import java.io.Closeable;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A few threads for what is of use before anybody asks for it. They end when they are idle. */
final class Background implements Closeable {
  private static final int THREADS = 4;
  private static final int WAITING = 16;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING),
          work -> {
            Thread thread = new Thread(work, "store-client-ahead");
            thread.setDaemon(true);
            return thread;
          });

  /** Something to be done, and what is done in place of it when this is closed before. */
  private record Work(Runnable work, Runnable dropped) implements Runnable {
    @Override
    public void run() {
      work.run();
    }
  }

  Background() {
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Has something done, unless too much waits already; says whether it will be.
   *
   * @param dropped is run in place of it when this is closed before it is begun
   */
  boolean offer(Runnable work, Runnable dropped) {
    try {
      threads.execute(new Work(work, dropped));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow().forEach(waiting -> ((Work) waiting).dropped().run());
  }
}
