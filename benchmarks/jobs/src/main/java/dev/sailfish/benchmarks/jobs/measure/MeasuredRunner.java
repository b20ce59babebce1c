package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.LogTail;
import dev.sailfish.localcluster.MasterCpu;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.JobRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Runs jobs one at a time on a local cluster and measures each from outside. */
public final class MeasuredRunner {
  private static final Duration JOB_DEADLINE = Duration.ofMinutes(60);
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

  private final LocalCluster cluster;
  private final JobClient client;
  private final ClusterLayout layout;
  private final JobHistory history;
  private final Consumer<String> progress;

  /**
   * A runner for a cluster that is up and on which nothing else runs meanwhile.
   *
   * @param progress receives a line every few seconds while a job runs
   */
  public MeasuredRunner(LocalCluster cluster, Consumer<String> progress) {
    this.cluster = cluster;
    this.progress = progress;
    layout = cluster.layout();
    client = new JobClient(cluster.distribution(), layout.conf());
    history = new JobHistory(cluster.state());
  }

  /**
   * Runs and measures.
   *
   * @param label names the run in progress lines and its client's log file
   * @param request what to run
   */
  public Measurement run(String label, JobRequest request) {
    return run(label, request, Optional.empty());
  }

  /**
   * Runs and measures.
   *
   * @param label names the run in progress lines and its client's log file
   * @param request what to run
   * @param loss what the job loses when half of its reduce tasks are done; if there is one, the job
   *     is watched for it twice a second. Who gives it repairs what it did
   */
  public Measurement run(String label, JobRequest request, Optional<Loss> loss) {
    String tag = "sailfish-" + UUID.randomUUID();
    Map<String, String> configuration = new HashMap<>(request.configuration());
    configuration.put(JobHistory.TAGS_KEY, tag);
    JobRequest tagged = new JobRequest(request.jar(), request.arguments(), configuration);
    Path log = layout.logs().resolve("client-" + label + ".log");
    Span span = Span.begin(cluster);
    int exitCode;
    double masterUsed;
    Span.Usage used;
    try (MasterCpu master = MasterCpu.watch(cluster.state())) {
      exitCode = client.run(tagged, log, JOB_DEADLINE, new Watch(label, tag, loss));
      loss.map(Loss::killed).ifPresent(span::killed);
      used = span.end();
      masterUsed = master.seconds();
    }
    try {
      return new Measurement(
          exitCode,
          used.all().cpuSeconds(),
          used.sailfish().cpuSeconds(),
          masterUsed,
          used.sailfish().counts(),
          history.metrics(tag));
    } catch (CommandException e) {
      String failure = "%s cannot be measured: %s Its client ended with exit code %d; its log %s";
      throw new CommandException(
          failure.formatted(label, e.getMessage(), exitCode, log) + " ends:\n" + LogTail.of(log),
          e);
    }
  }

  /**
   * Runs without measuring, so that several may run at once, on several threads.
   *
   * @param label names the run in progress lines and its client's log file
   * @return by which {@link #metrics} finds the job
   * @throws CommandException the job has failed; the log of its client is quoted
   */
  public String runUnmeasured(String label, JobRequest request) {
    String tag = "sailfish-" + UUID.randomUUID();
    Path log = layout.logs().resolve("client-" + label + ".log");
    int exitCode =
        client.run(request.tagged(tag), log, JOB_DEADLINE, new Watch(label, tag, Optional.empty()));
    if (exitCode != 0) {
      throw new CommandException(
          "%s failed with exit code %d; the log of its client, %s, ends:%n%s"
              .formatted(label, exitCode, log, LogTail.of(log)));
    }
    return tag;
  }

  /** What is recorded of a job that was run unmeasured. */
  public JobMetrics metrics(String tag) {
    return history.metrics(tag);
  }

  /** Shows how far a job has come, and has it lose something in the middle of its reduces. */
  private final class Watch implements Runnable {
    private final String label;
    private final String tag;
    private Optional<Loss> loss;
    private long shownNs = System.nanoTime();

    Watch(String label, String tag, Optional<Loss> loss) {
      this.label = label;
      this.tag = tag;
      this.loss = loss;
    }

    @Override
    public void run() {
      if (loss.isPresent()) {
        history.halfReduced(tag).ifPresent(this::strike);
      }
      if (System.nanoTime() - shownNs >= BETWEEN_LINES.toNanos()) {
        shownNs = System.nanoTime();
        history
            .progress(tag)
            .ifPresent(percent -> progress.accept("%s: %.0f %%".formatted(label, percent)));
      }
    }

    private void strike(String application) {
      loss.orElseThrow().strike(application);
      progress.accept(label + ": lost " + loss.orElseThrow().lost().orElse("nothing"));
      loss = Optional.empty();
    }
  }
}
