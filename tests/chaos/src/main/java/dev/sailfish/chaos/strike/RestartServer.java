package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import java.io.IOException;
import java.util.Optional;

/** SIGKILL or SIGTERM of a server, and its start after a pause of up to 10 s. */
public record RestartServer<T extends Target>(ServerChoice<T> choice) implements Strike<T> {
  private static final long LONGEST_PAUSE_MS = 10_000;

  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<DaemonProcess> server = choice.take(target, course.random());
    if (server.isEmpty()) {
      return Optional.empty();
    }
    String signal = course.random().nextBoolean() ? "KILL" : "TERM";
    long pauseMs = course.random().nextLong(LONGEST_PAUSE_MS);
    server.get().end(signal);
    course.pause(pauseMs);
    choice.among(target).start(server.get());
    choice.among(target).giveBack(server.get());
    return Optional.of("SIG" + signal + " to " + server.get() + ", again after " + pauseMs + " ms");
  }
}
