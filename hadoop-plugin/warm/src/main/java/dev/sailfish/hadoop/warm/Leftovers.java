package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.warm.ProcessFacts.Hook;
import dev.sailfish.hadoop.warm.ProcessFacts.LiveThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether what an attempt has left behind ends its JVM. Pure. */
final class Leftovers {
  /** How many more files may be open than before the first attempt. */
  private static final int MORE_OPEN_FILES = 64;

  private static final int PERCENT = 100;

  /**
   * Threads that Hadoop, the JDK and Sailfish start of themselves when they first need them, and
   * which serve the next attempt, too, or end soon.
   */
  private static final List<String> SERVING_THREADS =
      List.of(
          "IPC Client (",
          "IPC Parameter Sending Thread",
          "org.apache.hadoop.fs.FileSystem$Statistics",
          "org.apache.hadoop.hdfs.PeerCache",
          "client DomainSocketWatcher",
          "LeaseRenewer:",
          "Timer for '",
          "ReadAhead Thread",
          "hedgedRead-",
          "StripedRead-",
          "TGT Renewer for ",
          "MutableQuantiles-",
          "MutableRollingAverages-",
          "Truststore reloader thread",
          "SSL Certificates Store Monitor",
          "Thread for syncLogs",
          "store-client-",
          "process reaper",
          "ForkJoinPool.commonPool-",
          "CompletableFutureDelayScheduler",
          "Keep-Alive-",
          "Attach Listener",
          "Common-Cleaner",
          "Signal Dispatcher",
          "SIGTERM handler",
          "Notification Thread",
          "RMI ",
          "JMX ",
          "C1 CompilerThread",
          "C2 CompilerThread");

  private static final List<String> SERVING_HOOKS =
      List.of("org.apache.hadoop.", "dev.sailfish.", "java.util.logging.", "jdk.", "sun.");

  /** It deletes what the attempt wants to have deleted. */
  private static final String DELETING_HOOK = "org.apache.hadoop.fs.FileContext$";

  private Leftovers() {}

  /**
   * Why a process should not run another attempt.
   *
   * @param before what there was before the first attempt
   * @param after what there is after one
   * @return phrases; empty: it can run another one
   */
  static List<String> reasons(ProcessFacts before, ProcessFacts after) {
    List<String> reasons = new ArrayList<>();
    foreign(before.threads(), after.threads())
        .forEach(thread -> reasons.add("thread " + thread.name() + " is left"));
    after.hooks().stream()
        .filter(hook -> !before.hooks().contains(hook) && !serves(hook))
        .forEach(hook -> reasons.add("shutdown hook " + hook.type() + " is left"));
    after
        .factories()
        .forEach(
            (name, factory) -> {
              if (!factory.equals(before.factories().get(name))) {
                reasons.add(name + " was set");
              }
            });
    if (after.nativeLibraries() > 0) {
      reasons.add("native libraries of the user's classes: " + after.nativeLibraries());
    }
    if (after.poolWorks()) {
      reasons.add("work in ForkJoinPool.commonPool() is left");
    }
    if (after.openFiles() > before.openFiles() + MORE_OPEN_FILES) {
      reasons.add("open files: " + after.openFiles() + ", before " + before.openFiles());
    }
    return reasons;
  }

  /** Whether an attempt has left something that may be about to end. */
  static boolean isAtWork(ProcessFacts before, ProcessFacts after) {
    return after.poolWorks() || foreign(before.threads(), after.threads()).findAny().isPresent();
  }

  /** Threads that an attempt has left and that should have ended with it. */
  static Stream<LiveThread> foreign(Set<LiveThread> before, Set<LiveThread> after) {
    Set<Long> known = before.stream().map(LiveThread::id).collect(Collectors.toSet());
    return after.stream().filter(thread -> !known.contains(thread.id()) && !serves(thread));
  }

  /** Whether more of the heap is in use than may be. */
  static boolean isHeapFull(long usedBytes, long mostBytes, int heapLeftPercent) {
    return usedBytes > mostBytes / PERCENT * heapLeftPercent;
  }

  private static boolean serves(LiveThread thread) {
    return !thread.ofUser() && SERVING_THREADS.stream().anyMatch(thread.name()::startsWith);
  }

  private static boolean serves(Hook hook) {
    return !hook.ofUser()
        && SERVING_HOOKS.stream().anyMatch(hook.type()::startsWith)
        && !hook.type().startsWith(DELETING_HOOK);
  }
}
