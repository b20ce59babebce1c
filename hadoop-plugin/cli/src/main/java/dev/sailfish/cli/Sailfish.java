package dev.sailfish.cli;

import dev.sailfish.cli.store.LineageCommand;
import dev.sailfish.cli.store.StoreCommand;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Main class of {@code bin/sailfish}. */
@Command(
    name = "sailfish",
    description = "A MapReduce shuffle through I-files.",
    mixinStandardHelpOptions = true,
    version = "Sailfish 0.1.0",
    subcommands = {
      StartCommand.class,
      StopCommand.class,
      StatusCommand.class,
      HealthCommand.class,
      DrainCommand.class,
      JarCommand.class,
      FsCommand.class,
      StoreCommand.class,
      LineageCommand.class,
      EnvCommand.class,
      TicketCommand.class,
      IfileCommand.class,
      ReduceCommand.class,
      ChunkCommand.class,
      PlanCommand.class
    })
public final class Sailfish {
  private static final String DEBUG_VARIABLE = "SAILFISH_DEBUG";

  private Sailfish() {}

  /**
   * Runs the sub-command that the arguments name and exits with its code; 2 stands for wrong
   * arguments.
   */
  public static void main(String[] arguments) {
    System.exit(commandLine(arguments).execute(arguments));
  }

  /**
   * The command with its sub-commands: with those of other modules too, unless the first argument
   * is one of its own, because looking for them opens all jars.
   */
  public static CommandLine commandLine(String... arguments) {
    CommandLine line = new CommandLine(new Sailfish());
    if (arguments.length == 0 || !line.getSubcommands().containsKey(arguments[0])) {
      ServiceLoader.load(AddedCommand.class).forEach(line::addSubcommand);
    }
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (exception, failed, parsed) -> {
          boolean forTheUser =
              exception instanceof CommandException || exception.getClass() == IOException.class;
          if (!forTheUser || System.getenv(DEBUG_VARIABLE) != null) {
            throw exception; // picocli shows the stack trace
          }
          failed.getErr().println("sailfish: " + exception.getMessage());
          return CommandLine.ExitCode.SOFTWARE;
        });
    // Everything behind the jar belongs to the job, also what looks like an option.
    line.getSubcommands().get("jar").setStopAtPositional(true);
    line.getSubcommands()
        .get("fs")
        .setUnmatchedOptionsArePositionalParams(true)
        .setStopAtPositional(true);
    return line;
  }
}
