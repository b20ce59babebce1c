package dev.sailfish.hadoop.warm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How a process ends that has nothing more to do: by itself, unless threads of its tasks keep it.
 * The ApplicationMaster counts on its end, and Hadoop kills a process that stays after its task.
 */
final class ProcessEnd {
  private static final long HOOKS_NS = TimeUnit.SECONDS.toNanos(10);

  private ProcessEnd() {}

  /** Ends the process where a thread would keep it; shutdown hooks run for 10 s at most. */
  @SuppressWarnings("checkstyle:exit") // Of the main class of this process.
  static void endIfKept() {
    if (isKept()) {
      Thread halt = new Thread(ProcessEnd::haltLate, "sailfish-child-end");
      halt.setDaemon(true);
      halt.start();
      System.exit(0);
    }
  }

  private static boolean isKept() {
    return ProcessInspection.liveThreads().stream()
        .anyMatch(thread -> !thread.isDaemon() && thread != Thread.currentThread());
  }

  @SuppressWarnings("checkstyle:exit") // When hooks of users do not end.
  private static void haltLate() {
    long since = System.nanoTime();
    while (System.nanoTime() - since < HOOKS_NS) {
      LockSupport.parkNanos(HOOKS_NS);
    }
    Runtime.getRuntime().halt(0);
  }
}
