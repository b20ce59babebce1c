package dev.sailfish.cli.store;

import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish store format}. */
@Command(
    name = "format",
    description = {
      "Makes the directories of masters and workers empty that do not run: all files are gone then."
          + " Refuses where a daemon runs, and where there is something, unless it is told to.",
      "Of several masters format all, or none: one that is empty gets everything from the others."
    })
final class FormatCommand extends TerminalCommand {
  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Properties files of masters and workers.")
  private List<Path> files = List.of();

  @Option(names = "--force", description = "Delete what is there.")
  private boolean force;

  @Override
  public Integer call() {
    for (Path file : files) {
      try {
        out().println("Empty now: " + StoppedDaemon.of(file).format(force));
      } catch (IOException e) {
        String hint = force ? "" : " (--force deletes what is there)";
        throw new CommandException("Cannot format " + file + ": " + e.getMessage() + hint, e);
      }
    }
    return 0;
  }
}
