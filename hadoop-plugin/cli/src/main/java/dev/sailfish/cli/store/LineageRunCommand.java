package dev.sailfish.cli.store;

import dev.sailfish.hadoop.lineage.command.CommandDirectory;
import dev.sailfish.hadoop.lineage.command.CommandRecipe;
import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage run}. */
@Command(
    name = "run",
    description = {
      "Runs a command here, in a directory of its own, with files of the lineage store as its inputs,"
          + " and writes its outputs to the store with a record of how they were made. When they are"
          + " lost, the workflow manager runs the command again, in a container of YARN.",
      "The exit code is the command's. Nothing is written or recorded unless it is 0. The command"
          + " reads its inputs and writes its outputs in its working directory, and is to write the"
          + " same bytes whenever it runs. It has HOME, TMPDIR, PATH, TZ, the variables of the"
          + " language, and those of --env in its environment, and nothing else."
    })
final class LineageRunCommand extends ClientCommand {
  @Option(
      names = "--input",
      arity = "1..*",
      paramLabel = "lineage:///PATH[=NAME]",
      description =
          "Files that the command reads, and what they are called in its working directory (default:"
              + " as in the store).")
  private List<String> inputs = List.of();

  @Option(
      names = "--output",
      arity = "1..*",
      required = true,
      paramLabel = "lineage:///PATH[=NAME]",
      description = "Files that it writes; none may be there yet.")
  private List<String> outputs;

  @Option(
      names = "--program",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Files of this machine that it needs, such as a script: they are in its working directory,"
              + " and are kept in the store.")
  private List<Path> programs = List.of();

  @Option(
      names = "--memory",
      paramLabel = "MB",
      defaultValue = "1024",
      description = "What it may use of a container's memory (default: ${DEFAULT-VALUE}).")
  private int memoryMb;

  @Option(
      names = "--queue",
      paramLabel = "QUEUE",
      defaultValue = "default",
      description = "The queue of YARN in which it runs again (default: ${DEFAULT-VALUE}).")
  private String queue;

  @Option(
      names = "--env",
      paramLabel = "KEY=VALUE",
      description = "A variable of its environment, here and when it runs again.")
  private Map<String, String> environment = Map.of();

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "86400",
      description = "How long it may run here (default: ${DEFAULT-VALUE}).")
  private long deadlineSeconds;

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "After --: what is run.")
  private List<String> arguments;

  @Override
  int ask(StoreClient client) throws IOException {
    if (memoryMb <= 0 || deadlineSeconds <= 0) {
      throw wrongArguments("--memory and --deadline are above 0");
    }
    List<NamedFile> read = named(inputs);
    List<NamedFile> written = named(outputs);
    Map<String, String> variables = new TreeMap<>(CommandRecipe.environment(System.getenv()));
    variables.putAll(environment);
    CommandRecord record =
        new CommandRecord(
            client, CommandRecord.recipe(arguments, variables, queue, memoryMb), read, written);
    try {
      CommandDirectory.check(record.command(), programs.stream().map(NamedFile::nameOf).toList());
    } catch (IllegalArgumentException e) {
      throw wrongArguments(e.getMessage());
    }
    try (CommandDirectory directory =
        CommandDirectory.create(Path.of(System.getProperty("java.io.tmpdir")))) {
      record.prepare(directory, programs);
      int exit =
          directory.run(
              record.command(),
              Redirect.INHERIT,
              Redirect.INHERIT,
              Duration.ofSeconds(deadlineSeconds));
      if (exit == 0) {
        err().printf("record %d%n", record.write(directory));
      }
      return exit;
    }
  }

  private List<NamedFile> named(List<String> texts) {
    try {
      return texts.stream().map(NamedFile::of).toList();
    } catch (IllegalArgumentException e) {
      throw wrongArguments(e.getMessage());
    }
  }
}
