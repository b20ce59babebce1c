package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.DaemonStatus;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.LogTail;
import dev.sailfish.localcluster.MasterCpu;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.JobRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** Runs jobs one at a time on a local cluster and measures each from outside. */
public final class MeasuredRunner {
  private static final Duration JOB_DEADLINE = Duration.ofMinutes(60);

  private final JobClient client;
  private final ClusterLayout layout;
  private final ClusterState state;
  private final CpuAccounting cpu;
  private final JobHistory history;
  private final List<DaemonRecord> sailfish;
  private final Consumer<String> progress;

  /**
   * A runner for a cluster that is up and on which nothing else runs meanwhile.
   *
   * @param progress receives a line every few seconds while a job runs
   */
  public MeasuredRunner(LocalCluster cluster, Consumer<String> progress) {
    this.progress = progress;
    layout = cluster.layout();
    state = cluster.state();
    client = new JobClient(cluster.distribution(), layout.conf());
    cpu = new CpuAccounting(state);
    history = new JobHistory(state);
    sailfish = state.sailfishDaemons();
  }

  /**
   * Runs and measures.
   *
   * @param label names the run in progress lines and its client's log file
   * @param request what to run
   */
  public Measurement run(String label, JobRequest request) {
    String tag = "sailfish-" + UUID.randomUUID();
    Map<String, String> configuration = new HashMap<>(request.configuration());
    configuration.put(JobHistory.TAGS_KEY, tag);
    JobRequest tagged = new JobRequest(request.jar(), request.arguments(), configuration);
    Path log = layout.logs().resolve("client-" + label + ".log");
    cpu.awaitContainersEnded();
    double before = cpu.seconds();
    double sailfishBefore = cpu.sailfishSeconds();
    Map<Metric, Long> countsBefore = counts();
    Runnable showProgress =
        () ->
            history
                .progress(tag)
                .ifPresent(percent -> progress.accept("%s: %.0f %%".formatted(label, percent)));
    int exitCode;
    double masterUsed;
    try (MasterCpu master = MasterCpu.watch(state)) {
      exitCode = client.run(tagged, log, JOB_DEADLINE, showProgress);
      cpu.awaitContainersEnded();
      masterUsed = master.seconds();
    }
    double used = cpu.seconds() - before;
    double sailfishUsed = cpu.sailfishSeconds() - sailfishBefore;
    Map<Metric, Long> counts = counts();
    countsBefore.forEach((metric, value) -> counts.merge(metric, -value, Long::sum));
    try {
      return new Measurement(
          exitCode, used, sailfishUsed, masterUsed, counts, history.metrics(tag));
    } catch (CommandException e) {
      String failure = "%s cannot be measured: %s Its client ended with exit code %d; its log %s";
      throw new CommandException(
          failure.formatted(label, e.getMessage(), exitCode, log) + " ends:\n" + LogTail.of(log),
          e);
    }
  }

  /** What Sailfish's daemons count, summed up over the daemons; nothing without them. */
  private Map<Metric, Long> counts() {
    Map<Metric, Long> sums = new HashMap<>();
    for (DaemonRecord daemon : sailfish) {
      DaemonStatus.of(daemon, layout)
          .orElseThrow(() -> new CommandException(daemon.name() + " does not answer."))
          .counts()
          .forEach((metric, value) -> sums.merge(metric, value, Long::sum));
    }
    return sums;
  }
}
