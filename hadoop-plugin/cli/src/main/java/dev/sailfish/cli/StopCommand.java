package dev.sailfish.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sailfish stop}. */
@Command(
    name = "stop",
    description = "Stops the local cluster; ends only processes that start has recorded.",
    mixinStandardHelpOptions = true)
final class StopCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (options.cluster(out::println).stop() == 0) {
      out.println("Nothing was running.");
    }
    return 0;
  }
}
