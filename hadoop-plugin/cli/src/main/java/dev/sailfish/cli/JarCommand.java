package dev.sailfish.cli;

import dev.sailfish.cli.inspect.Metaservers;
import dev.sailfish.cli.progress.JobProgress;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.SiteFile;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.ReduceWork;
import dev.sailfish.localcluster.client.RunningJobs;
import dev.sailfish.localcluster.client.Shuffle;
import dev.sailfish.localcluster.client.WarmTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  /** When progress is shown. */
  enum When {
    ON,
    OFF,
    AUTO
  }

  @Mixin private ClusterOptions options;

  @Mixin private SecretOptions secret;

  @Option(
      names = "--shuffle",
      paramLabel = "SHUFFLE",
      defaultValue = "sailfish",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Shuffle shuffle;

  @Mixin private MasterOptions master;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Set a key of the job's configuration.")
  private Map<String, String> keys = new HashMap<>();

  @Option(
      names = "--progress",
      paramLabel = "WHEN",
      defaultValue = "auto",
      description =
          "Show how far the job is: on, off, or auto, if standard error is a terminal (default:"
              + " ${DEFAULT-VALUE}). On a terminal it is one line that changes.")
  private When progress;

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
      configuration.putAll(master.choice().configuration());
    }
    configuration.putAll(keys);
    JobRequest request = new JobRequest(jar, command.subList(1, command.size()), configuration);
    ReduceWork.warning(request).ifPresent(this::warn);
    WarmTasks.warning(request).ifPresent(this::warn);
    Path conf = options.hadoopConf(err());
    JobClient client = new JobClient(Distribution.current(), conf);
    boolean live = progress != When.OFF && JobProgress.hasTerminal();
    if (progress == When.ON || live) {
      return runAndShow(client, request, live);
    }
    return client.runInForeground(request, Optional.empty(), Optional.empty());
  }

  private void warn(String text) {
    err().println("sailfish: " + text);
  }

  private int runAndShow(JobClient client, JobRequest request, boolean live) {
    String tag = "sailfish-%d-%x".formatted(ProcessHandle.current().pid(), System.nanoTime());
    Optional<RunningJobs> jobs = RunningJobs.of(client.clusterConf(), tag);
    if (jobs.isEmpty()) {
      return client.runInForeground(request, Optional.empty(), Optional.empty());
    }
    Optional<Metaservers> metaservers = metaservers(client, request);
    try (JobProgress shown = JobProgress.start(jobs.get(), metaservers, live)) {
      return client.runInForeground(
          request.tagged(tag), shown.others(System.out), shown.others(System.err));
    }
  }

  /** Those of the job; absent when they cannot be asked, which is no reason not to run it. */
  private Optional<Metaservers> metaservers(JobClient client, JobRequest request) {
    String key = Shuffle.METASERVER_ADDRESS;
    String addresses =
        Optional.ofNullable(request.configuration().get(key))
            .or(() -> SiteFile.value(client.clusterConf().resolve("mapred-site.xml"), key))
            .orElse(null);
    try {
      return Optional.of(new MetaserverOptions(addresses, secret, options).metaservers());
    } catch (IOException | CommandException e) {
      return Optional.empty();
    }
  }
}
