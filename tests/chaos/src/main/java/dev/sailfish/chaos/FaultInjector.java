package dev.sailfish.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes the faults of one piece of work happen, on a thread each, and has everything put right when
 * the work has ended. For one piece of work and one thread: {@link #prepare}, then {@link #drive},
 * then, whatever those did, {@link #finish}.
 *
 * @param <T> what is struck
 */
public final class FaultInjector<T extends Target> {
  private static final long POLL_MS = 200;
  private static final long LOOK_MS = 15_000;
  private static final long FINISH_MS = 180_000;

  private final T target;
  private final List<Fault<T>> faults;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<Injection<T>>> running = new ArrayList<>();

  /** An injector of these faults. */
  public FaultInjector(T target, List<Fault<T>> faults) {
    this.target = target;
    this.faults = List.copyOf(faults);
  }

  /** Injects what comes before the work. */
  public List<Injection<T>> prepare() throws Exception {
    List<Injection<T>> done = new ArrayList<>();
    for (Fault<T> fault : faults) {
      if (fault.moment().isBefore()) {
        done.add(inject(fault));
      }
    }
    return done;
  }

  /** Injects while the work runs; returns when it has ended, whatever its end. */
  public void drive(Future<?> work, Progress progress) throws Exception {
    Map<Fault<T>, Long> dueNs = new HashMap<>();
    List<Fault<T>> waiting = new ArrayList<>(faults);
    waiting.removeIf(fault -> fault.moment().isBefore());
    while (!isDone(work)) {
      progress.look();
      long nowNs = System.nanoTime();
      for (Fault<T> fault : List.copyOf(waiting)) {
        if (progress.reached(fault.moment())) {
          dueNs.putIfAbsent(fault, nowNs + TimeUnit.MILLISECONDS.toNanos(fault.delayMs()));
        }
        if (dueNs.containsKey(fault) && dueNs.get(fault) - nowNs <= 0) {
          waiting.remove(fault);
          running.add(threads.submit(() -> inject(fault)));
        }
      }
    }
    for (Fault<T> fault : waiting) {
      running.add(threads.submit(() -> new Injection<>(fault, Optional.empty())));
    }
  }

  private static boolean isDone(Future<?> work) throws InterruptedException {
    try {
      work.get(POLL_MS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true; // the one who started the work looks at why
    }
  }

  /** Ends all faults, has the target repaired, and tells what was injected while the work ran. */
  public List<Injection<T>> finish() throws Exception {
    ended.countDown();
    List<Injection<T>> injections = new ArrayList<>();
    Exception failure = null;
    for (Future<Injection<T>> one : running) {
      try {
        injections.add(one.get(FINISH_MS, TimeUnit.MILLISECONDS));
      } catch (ExecutionException | TimeoutException e) {
        failure = e;
      }
    }
    threads.shutdownNow();
    target.repair();
    if (failure != null) {
      throw failure;
    }
    return injections;
  }

  /** Looks for something to hit until there is something, or the work has ended. */
  private Injection<T> inject(Fault<T> fault) throws Exception {
    Course course = new Course(new SplittableRandom(fault.seed()), ended);
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOOK_MS);
    boolean before = fault.moment().isBefore();
    Optional<String> hit = fault.kind().strike().at(target, course);
    while (hit.isEmpty() && !course.pause(POLL_MS) && !(before && System.nanoTime() - endNs > 0)) {
      hit = fault.kind().strike().at(target, course);
    }
    return new Injection<>(fault, hit);
  }
}
