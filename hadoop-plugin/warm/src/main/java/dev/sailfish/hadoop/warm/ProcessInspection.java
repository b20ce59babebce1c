package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.warm.ProcessFacts.Hook;
import dev.sailfish.hadoop.warm.ProcessFacts.LiveThread;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.util.ShutdownHookManager;

/** Looks what an attempt has left in this process. Used between attempts, by one thread. */
final class ProcessInspection {
  private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int LOOKS_AT_HEAP = 2;
  private static final int ROOM_FOR_NEW_THREADS = 16;
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final String FACTORY = "factory";

  private final ClassLoader hadoop;
  private final int heapLeftPercent;
  private final ProcessFacts before;

  /**
   * As it is before the first attempt.
   *
   * @param hadoop the loader of Hadoop's classes
   * @param heapLeftPercent how much of the heap may be in use after an attempt
   */
  ProcessInspection(ClassLoader hadoop, int heapLeftPercent) {
    this.hadoop = hadoop;
    this.heapLeftPercent = heapLeftPercent;
    before = look(hadoop);
  }

  /**
   * Why this process should not run another attempt. Threads and work that are about to end have a
   * short time for it.
   *
   * @param classes the loader of the attempt's classes
   * @return phrases; empty: it can
   */
  List<String> reasons(ClassLoader classes) {
    ProcessFacts after = look(classes);
    long since = System.nanoTime();
    while (Leftovers.isAtWork(before, after) && System.nanoTime() - since < GRACE_NS) {
      LockSupport.parkNanos(LOOK_NS);
      after = look(classes);
    }
    letGo(classes);
    return Leftovers.reasons(before, after);
  }

  /**
   * Why the heap is too full for another attempt. It is collected where it seems so, and once more
   * a little later: a compiler that is at work on the attempt's classes holds them so long.
   *
   * @return one phrase; empty: it is not
   */
  List<String> heapReasons() {
    MemoryUsage heap = heap();
    for (int look = 0; look < LOOKS_AT_HEAP && isHeapFull(heap); look++) {
      LockSupport.parkNanos(look * GRACE_NS);
      System.gc();
      heap = heap();
    }
    return isHeapFull(heap)
        ? List.of("heap in use: " + heap.getUsed() + " of " + heap.getMax() + " B")
        : List.of();
  }

  private boolean isHeapFull(MemoryUsage heap) {
    return Leftovers.isHeapFull(heap.getUsed(), heap.getMax(), heapLeftPercent);
  }

  private static MemoryUsage heap() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
  }

  private ProcessFacts look(ClassLoader classes) {
    Set<LiveThread> threads = new HashSet<>();
    for (Thread thread : liveThreads()) {
      threads.add(new LiveThread(thread.getId(), thread.getName(), isOfUsers(thread, classes)));
    }
    return new ProcessFacts(
        threads,
        hooks(classes),
        factories(),
        openFiles(),
        classes == hadoop ? 0 : NativeLibraries.count(classes),
        isPoolAtWork());
  }

  private static boolean isPoolAtWork() {
    ForkJoinPool pool = ForkJoinPool.commonPool();
    return pool.hasQueuedSubmissions() || !pool.isQuiescent();
  }

  /** All of this process. */
  static List<Thread> liveThreads() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    Thread[] threads = new Thread[group.activeCount() + ROOM_FOR_NEW_THREADS];
    int count = group.enumerate(threads);
    while (count == threads.length) {
      threads = new Thread[2 * count];
      count = group.enumerate(threads);
    }
    return Arrays.asList(threads).subList(0, count);
  }

  private boolean isOfUsers(Thread thread, ClassLoader classes) {
    return isOfUser(thread, classes) || isOfUser(work(thread), classes);
  }

  private boolean isOfUser(Object one, ClassLoader classes) {
    return classes != hadoop && one.getClass().getClassLoader() == classes;
  }

  /** What a thread runs; itself where that is not known. */
  private static Object work(Thread thread) {
    Object work = Statics.get(Thread.class, thread, "target", Runnable.class);
    if (work == null) {
      Object holder = Statics.get(Thread.class, thread, "holder", Object.class);
      work = holder == null ? null : Statics.get(holder, "task", Runnable.class);
    }
    return work == null ? thread : work;
  }

  /** Threads that stay do not hold the classes of an attempt that has ended. */
  private void letGo(ClassLoader classes) {
    if (classes == hadoop) {
      return;
    }
    for (Thread thread : liveThreads()) {
      if (thread.getContextClassLoader() == classes) {
        thread.setContextClassLoader(hadoop);
      }
    }
  }

  private Set<Hook> hooks(ClassLoader classes) {
    Set<Hook> hooks = new HashSet<>();
    Map<?, ?> threads = Statics.get(hookClass(), null, "hooks", Map.class);
    if (threads != null) {
      for (Object thread : new ArrayList<>(threads.keySet())) {
        hooks.add(hook(work((Thread) thread), classes));
      }
    }
    Collection<?> entries = Statics.get(ShutdownHookManager.get(), "hooks", Collection.class);
    if (entries != null) {
      for (Object entry : new ArrayList<>(entries)) {
        Object runs = Statics.get(entry, "hook", Object.class);
        hooks.add(hook(runs == null ? entry : runs, classes));
      }
    }
    return hooks;
  }

  private static Class<?> hookClass() {
    try {
      return Class.forName("java.lang.ApplicationShutdownHooks");
    } catch (ClassNotFoundException e) {
      return Runtime.class;
    }
  }

  private Hook hook(Object runs, ClassLoader classes) {
    return new Hook(
        System.identityHashCode(runs), runs.getClass().getName(), isOfUser(runs, classes));
  }

  private static Map<String, Integer> factories() {
    Map<String, Integer> factories = new HashMap<>();
    for (Class<?> owner :
        List.of(URL.class, URLConnection.class, Socket.class, ServerSocket.class)) {
      Object factory = Statics.get(owner, null, FACTORY, Object.class);
      factories.put(owner.getName() + "." + FACTORY, System.identityHashCode(factory));
    }
    return factories;
  }

  /** Jars are opened one after another, as classes are looked for. */
  private static int openFiles() {
    int open = 0;
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      for (Path file : files.toList()) {
        open += isJar(file) ? 0 : 1;
      }
    } catch (IOException e) {
      return 0;
    }
    return open;
  }

  private static boolean isJar(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().endsWith(".jar");
    } catch (IOException e) {
      return true; // Closed meanwhile.
    }
  }
}
