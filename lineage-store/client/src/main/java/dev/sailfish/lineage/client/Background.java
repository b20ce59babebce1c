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

  Background() {
    threads.allowCoreThreadTimeOut(true);
  }

  /** Has something done, unless too much waits already; says whether it will be. */
  boolean offer(Runnable work) {
    try {
      threads.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
