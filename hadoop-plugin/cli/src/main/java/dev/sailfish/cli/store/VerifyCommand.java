package dev.sailfish.cli.store;

import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish store verify}. */
@Command(
    name = "verify",
    description = {
      "Looks through what a master or worker keeps that does not run: reads the journal's newest"
          + " snapshot and all entries behind it, compares all blocks with their checksums, and"
          + " prints what is damaged. Nothing is changed.",
      "Exit code 0 if nothing is damaged, else 3."
    })
final class VerifyCommand extends TerminalCommand {
  private static final int DAMAGED = 3;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Properties files of masters and workers.")
  private List<Path> files = List.of();

  @Override
  public Integer call() {
    boolean isDamaged = false;
    for (Path file : files) {
      try {
        StoppedDaemon.Verdict verdict = StoppedDaemon.of(file).verify();
        out().println(verdict.content());
        verdict.damage().forEach(line -> out().println("DAMAGED: " + line));
        isDamaged |= !verdict.damage().isEmpty();
      } catch (IOException e) {
        throw new CommandException("Cannot verify " + file + ": " + e.getMessage(), e);
      }
    }
    return isDamaged ? DAMAGED : 0;
  }
}
