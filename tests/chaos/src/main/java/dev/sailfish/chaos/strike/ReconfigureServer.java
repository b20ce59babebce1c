package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;

/**
 * A server runs with other settings until the work has ended.
 *
 * @param settings what is set instead, of what is set
 * @param what the report says that it has
 */
public record ReconfigureServer<T extends Target>(
    ServerChoice<T> choice, Function<Properties, Map<String, String>> settings, String what)
    implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    Optional<DaemonProcess> server = choice.take(target, course.random());
    if (server.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> others = settings.apply(server.get().properties());
    choice.among(target).reconfigure(server.get(), others);
    choice.among(target).giveBack(server.get());
    return Optional.of(server.get() + " has " + what);
  }
}
