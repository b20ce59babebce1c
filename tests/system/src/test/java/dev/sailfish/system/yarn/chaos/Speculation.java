package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.chaos.strike.ProcessChoice;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A map is stopped until a speculative attempt of it runs, then both go on to their ends. */
final class Speculation implements Strike<ChaosCluster> {
  private static final long POLL_MS = 200;
  private static final long LONGEST_MS = 90_000;
  private static final long LONGEST_RACE_MS = 4_000;

  @Override
  public Optional<String> at(ChaosCluster cluster, Course course)
      throws IOException, InterruptedException {
    Containers containers = cluster.containers();
    ProcessChoice<ChaosCluster> maps = any -> containers.attempts(Containers.Attempt::isMap);
    Optional<NamedProcess> slow = maps.choose(cluster, course.random());
    if (slow.isEmpty() || !slow.get().process().signal("STOP")) {
      return Optional.empty();
    }
    String id = slow.get().name();
    try {
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MS);
      boolean second = false;
      boolean over = false;
      while (!second && !over) {
        over = course.pause(POLL_MS) || System.nanoTime() - endNs > 0;
        second = !containers.attempts(attempt -> attempt.isTwinOf(id)).isEmpty();
      }
      course.pause(second ? course.random().nextLong(LONGEST_RACE_MS) : 0);
      return second ? Optional.of(id + " had a second attempt") : Optional.empty();
    } finally {
      slow.get().process().signal("CONT");
    }
  }
}
