package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.NamedProcess;
import java.io.IOException;
import java.util.Optional;

/**
 * SIGSTOP of a server for a while.
 *
 * @param millis how long; less when the work ends
 */
public record StopServer<T extends Target>(ServerChoice<T> choice, long millis)
    implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<DaemonProcess> server = choice.take(target, course.random());
    if (server.isEmpty()) {
      return Optional.empty();
    }
    NamedProcess process = new NamedProcess(server.get().name(), server.get().process());
    Optional<String> stopped = StopProcess.stop(process, millis, course);
    choice.among(target).giveBack(server.get());
    return stopped;
  }
}
