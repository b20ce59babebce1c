package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import java.io.IOException;
import java.util.Optional;

/** SIGKILL of a server that comes back only when the work has ended. */
public record KillServer<T extends Target>(ServerChoice<T> choice) implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<DaemonProcess> server = choice.take(target, course.random());
    if (server.isPresent()) {
      server.get().end("KILL");
    }
    return server.map(daemon -> "killed " + daemon + " for good");
  }
}
