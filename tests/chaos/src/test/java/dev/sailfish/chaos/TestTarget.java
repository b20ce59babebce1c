package dev.sailfish.chaos;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Notes what is done to it. */
final class TestTarget implements Target {
  final List<TestFault> struck = new CopyOnWriteArrayList<>();
  final AtomicInteger tries = new AtomicInteger();
  final AtomicInteger repairs = new AtomicInteger();

  /** How many tries find nothing to hit. */
  volatile int misses;

  volatile boolean broken;

  Optional<String> hit(TestFault fault, Course course) throws IOException {
    if (broken) {
      throw new IOException("cannot be struck");
    }
    if (tries.incrementAndGet() <= misses) {
      return Optional.empty();
    }
    struck.add(fault);
    return Optional.of("hit by " + fault + " with " + course.random().nextInt(1_000));
  }

  @Override
  public void repair() {
    repairs.incrementAndGet();
  }
}
