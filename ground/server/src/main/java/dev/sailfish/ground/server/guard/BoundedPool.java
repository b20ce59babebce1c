package dev.sailfish.ground.server.guard;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Daemon threads that end when they are idle, and a queue of limited length before them. */
public final class BoundedPool extends ThreadPoolExecutor {
  /**
   * @param threadName of each of its threads
   * @param waiting how much work may wait; more is refused
   */
  public BoundedPool(String threadName, int threads, int waiting) {
    super(
        threads,
        threads,
        1,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(waiting),
        daemons(threadName));
    allowCoreThreadTimeOut(true);
  }

  static ThreadFactory daemons(String threadName) {
    return work -> {
      Thread thread = new Thread(work, threadName);
      thread.setDaemon(true);
      return thread;
    };
  }
}
