package dev.sailfish.cli.store;

import dev.sailfish.ground.config.Notation;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish store ttl}. */
@Command(
    name = "ttl",
    description = "Has a file deleted after some time, or shows how long it has to live.")
final class TtlCommand extends NamespaceCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TIME",
      description = "30s, 10min, 1h, 2d; 0: it stays. Without it the present time is shown.")
  private Optional<String> time = Optional.empty();

  @Option(
      names = "--free",
      description = "It leaves the workers only, and is read again from its copy below.")
  private boolean free;

  @Override
  void ask(NamespaceClient client, String path) throws IOException {
    if (time.isEmpty()) {
      UseResponse use = client.use(path);
      Duration left = Duration.ofSeconds((use.getLeftMs() + 999) / 1000);
      String end = use.getFree() ? "is freed in " : "is deleted in ";
      out().println(path + " " + (use.getExpires() ? end + text(left) : "stays"));
      return;
    }
    long afterMs = Notation.durationMs(time.get());
    if (afterMs < 0) {
      throw wrongArguments("TIME is '" + time.get() + "': write, for instance, 10min, 2h or 7d");
    }
    client.setExpiry(path, afterMs, free);
  }

  private static String text(Duration left) {
    return left.toDays() > 0
        ? left.toDays() + " days " + left.toHoursPart() + " h"
        : "%d:%02d:%02d h".formatted(left.toHours(), left.toMinutesPart(), left.toSecondsPart());
  }
}
