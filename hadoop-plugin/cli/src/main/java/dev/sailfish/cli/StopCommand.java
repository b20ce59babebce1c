package dev.sailfish.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sailfish stop}. */
@Command(
    name = "stop",
    description = "Stops the local cluster; ends only processes that start has recorded.")
final class StopCommand extends TerminalCommand {
  @Mixin private ClusterOptions options;

  @Override
  public Integer call() {
    if (options.cluster(out()::println).stop() == 0) {
      out().println("Nothing was running.");
    }
    return 0;
  }
}
