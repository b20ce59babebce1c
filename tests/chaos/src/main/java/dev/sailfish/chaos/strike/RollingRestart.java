package dev.sailfish.chaos.strike;

import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.Daemons;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * SIGTERM of one server after the other and its start at once, each when the one before serves
 * again; those that other faults have are left out.
 *
 * @param servers in the order in which they are restarted
 */
public record RollingRestart<T extends Target>(Function<T, List<Daemons>> servers)
    implements Strike<T> {
  @Override
  public Optional<String> at(T target, Course course) throws IOException, InterruptedException {
    List<DaemonProcess> restarted = new ArrayList<>();
    for (Daemons kind : servers.apply(target)) {
      for (DaemonProcess daemon : kind.all()) {
        if (kind.take(daemon).isPresent()) {
          restart(daemon, kind, course, restarted);
        }
      }
    }
    return restarted.isEmpty() ? Optional.empty() : Optional.of("restarted " + restarted);
  }

  private static void restart(
      DaemonProcess daemon, Daemons kind, Course course, List<DaemonProcess> restarted)
      throws IOException, InterruptedException {
    if (!course.pause(0)) {
      daemon.end("TERM");
      kind.start(daemon);
      restarted.add(daemon);
    }
    kind.giveBack(daemon);
  }
}
