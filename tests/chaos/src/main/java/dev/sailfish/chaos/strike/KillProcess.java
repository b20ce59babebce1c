package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.NamedProcess;
import java.io.IOException;
import java.util.Optional;

/** SIGKILL of a process, made good by what started it. */
public record KillProcess<T extends Target>(ProcessChoice<T> choice) implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<NamedProcess> chosen = choice.choose(target, course.random());
    return chosen.isPresent() && chosen.get().process().signal("KILL")
        ? Optional.of("killed " + chosen.get().name())
        : Optional.empty();
  }
}
