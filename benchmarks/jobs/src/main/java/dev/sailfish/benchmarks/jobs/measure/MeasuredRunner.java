package dev.sailfish.benchmarks.jobs.measure;

import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.DaemonRecord;
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
    ClusterState state = cluster.state();
    CpuAccounting cpu = new CpuAccounting(state);
    cpu.awaitContainersEnded();
    Map<DaemonRecord, Reading> before = readings(state, Map.of());
    int exitCode;
    double masterUsed;
    try (MasterCpu master = MasterCpu.watch(state)) {
      exitCode = client.run(tagged, log, JOB_DEADLINE, new Watch(label, tag, loss));
      cpu.awaitContainersEnded();
      masterUsed = master.seconds();
    }
    Map<DaemonRecord, Reading> after = readings(state, loss.map(Loss::killed).orElse(Map.of()));
    Reading all = growth(before, after, state.daemons());
    Reading sailfish = growth(before, after, state.sailfishDaemons());
    try {
      return new Measurement(
          exitCode,
          all.cpuSeconds(),
          sailfish.cpuSeconds(),
          masterUsed,
          all.counts(),
          history.metrics(tag));
    } catch (CommandException e) {
      String failure = "%s cannot be measured: %s Its client ended with exit code %d; its log %s";
      throw new CommandException(
          failure.formatted(label, e.getMessage(), exitCode, log) + " ends:\n" + LogTail.of(log),
          e);
    }
  }

  /** All daemons; of those that were killed, what was read before. */
  private Map<DaemonRecord, Reading> readings(
      ClusterState state, Map<DaemonRecord, Reading> killed) {
    Map<DaemonRecord, Reading> readings = new HashMap<>(killed);
    for (DaemonRecord daemon : state.sailfishDaemons()) {
      readings.computeIfAbsent(daemon, running -> Reading.ofSailfish(running, layout));
    }
    for (DaemonRecord daemon : state.daemons()) {
      readings.computeIfAbsent(daemon, Reading::ofHadoop);
    }
    return readings;
  }

  private static Reading growth(
      Map<DaemonRecord, Reading> before,
      Map<DaemonRecord, Reading> after,
      List<DaemonRecord> daemons) {
    return Reading.sum(
        daemons.stream().map(daemon -> after.get(daemon).since(before.get(daemon))).toList());
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
