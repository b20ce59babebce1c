package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.chaos.process.RunningProcess;
import java.io.IOException;
import java.util.Optional;

/**
 * SIGSTOP of a process for a while.
 *
 * @param millis how long; less when the work ends
 */
public record StopProcess<T extends Target>(ProcessChoice<T> choice, long millis)
    implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<NamedProcess> chosen = choice.choose(target, course.random());
    return chosen.isEmpty() ? Optional.empty() : stop(chosen.get(), millis, course);
  }

  static Optional<String> stop(NamedProcess stopped, long millis, Course course)
      throws IOException, InterruptedException {
    RunningProcess process = stopped.process();
    if (!process.signal("STOP")) {
      return Optional.empty();
    }
    try {
      course.pause(millis);
      return Optional.of("stopped " + stopped.name() + " for up to " + millis + " ms");
    } finally {
      process.signal("CONT");
    }
  }
}
