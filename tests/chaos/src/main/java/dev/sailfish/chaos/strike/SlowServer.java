package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.RunningProcess;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A server gets a fifth of the time for a while, in slices, as on a slow disk.
 *
 * @param millis how long; less when the work ends
 */
public record SlowServer<T extends Target>(ServerChoice<T> choice, long millis)
    implements Strike<T> {
  private static final long SLICE_MS = 200;

  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<DaemonProcess> server = choice.take(target, course.random());
    if (server.isEmpty()) {
      return Optional.empty();
    }
    RunningProcess process = server.get().process();
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean over = false;
    try {
      while (!over) {
        process.signal("STOP");
        course.pause(SLICE_MS * 4);
        process.signal("CONT");
        over = course.pause(SLICE_MS) || System.nanoTime() - endNs > 0;
      }
    } finally {
      process.signal("CONT");
    }
    choice.among(target).giveBack(server.get());
    return Optional.of("slowed " + server.get());
  }
}
