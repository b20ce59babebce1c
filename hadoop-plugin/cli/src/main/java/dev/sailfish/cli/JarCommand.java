package dev.sailfish.cli;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.Shuffle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish jar}. */
@Command(
    name = "jar",
    description = {
      "Runs a job jar like `hadoop jar`, on the local cluster or on the one that HADOOP_CONF_DIR"
          + " names.",
      "Options of this command stand before the jar; everything behind it belongs to the job.",
      "The exit code is the job's."
    })
final class JarCommand extends TerminalCommand {
  @Mixin private ClusterOptions options;

  @Option(
      names = "--shuffle",
      paramLabel = "SHUFFLE",
      defaultValue = "sailfish",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Shuffle shuffle;

  @Option(
      names = "--reduce-work",
      paramLabel = "WHO",
      defaultValue = "stock",
      description =
          "Who decides how many reduce tasks there are with shuffle sailfish: fixed, the job in"
              + " Sailfish's ApplicationMaster; auto, its data; stock, the job in Hadoop's own"
              + " (default: ${DEFAULT-VALUE}). For the local cluster.")
  private ReduceWork reduceWork;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Set a key of the job's configuration.")
  private Map<String, String> keys = new HashMap<>();

  @Parameters(
      arity = "1..*",
      paramLabel = "JAR [MAIN] ARGUMENT",
      description = "As for `hadoop jar`.")
  private List<String> command = new ArrayList<>();

  @Override
  public Integer call() {
    Path jar = Path.of(command.get(0));
    if (!Files.isReadable(jar)) {
      throw new CommandException("There is no readable file " + jar + ": name a job jar.");
    }
    Map<String, String> configuration = new HashMap<>(shuffle.configuration());
    if (shuffle == Shuffle.SAILFISH) {
      configuration.putAll(reduceWork.configuration());
    }
    configuration.putAll(keys);
    JobRequest request = new JobRequest(jar, command.subList(1, command.size()), configuration);
    ReduceWork.warning(request).ifPresent(text -> err().println("sailfish: " + text));
    return new JobClient(Distribution.current(), options.hadoopConf(err()))
        .runInForeground(request);
  }
}
