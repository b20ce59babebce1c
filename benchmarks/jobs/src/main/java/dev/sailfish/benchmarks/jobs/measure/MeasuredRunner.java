package dev.sailfish.benchmarks.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.ClusterState;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.CpuAccounting;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LogTail;
import dev.sailfish.localcluster.RestClient;
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
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

  private final JobClient client;
  private final ClusterLayout layout;
  private final CpuAccounting cpu;
  private final JobHistory history;
  private final List<RestClient> sailfish;
  private final Consumer<String> progress;

  /**
   * A runner for a cluster on which nothing else runs meanwhile.
   *
   * @param distribution where Hadoop's jars are
   * @param layout of the cluster
   * @param cluster its processes
   * @param progress receives a line every few seconds while a job runs
   */
  public MeasuredRunner(
      Distribution distribution,
      ClusterLayout layout,
      ClusterState cluster,
      Consumer<String> progress) {
    this.layout = layout;
    this.progress = progress;
    client = new JobClient(distribution, layout.conf());
    cpu = new CpuAccounting(cluster);
    history = new JobHistory(cluster);
    sailfish =
        cluster.sailfishDaemons().stream()
            .map(daemon -> new RestClient(daemon.web(), layout.tls()))
            .toList();
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
    Map<String, Long> countersBefore = sailfishCounters();
    int exitCode = client.run(tagged, log, JOB_DEADLINE, new Progress(label, tag));
    cpu.awaitContainersEnded();
    double used = cpu.seconds() - before;
    double sailfishUsed = cpu.sailfishSeconds() - sailfishBefore;
    Map<String, Long> counters = sailfishCounters();
    countersBefore.forEach((name, value) -> counters.merge(name, -value, Long::sum));
    try {
      return new Measurement(exitCode, used, sailfishUsed, counters, history.metrics(tag));
    } catch (CommandException e) {
      throw new CommandException(
          label
              + " cannot be measured: "
              + e.getMessage()
              + " Its client ended with exit code "
              + exitCode
              + "; its log "
              + log
              + " ends:\n"
              + LogTail.of(log),
          e);
    }
  }

  /** The counters of Sailfish's daemons, summed up over the daemons; none without them. */
  private Map<String, Long> sailfishCounters() {
    Map<String, Long> sums = new HashMap<>();
    for (RestClient daemon : sailfish) {
      JsonNode status =
          daemon
              .get("/status")
              .orElseThrow(() -> new CommandException("A daemon of Sailfish does not answer."));
      for (Map.Entry<String, JsonNode> counter : status.properties()) {
        if (counter.getValue().isIntegralNumber()) {
          sums.merge(counter.getKey(), counter.getValue().asLong(), Long::sum);
        }
      }
    }
    return sums;
  }

  /** Asks for the job's progress now and then. */
  private final class Progress implements Runnable {
    private final String label;
    private final String tag;
    private long nextNs = System.nanoTime() + PROGRESS_INTERVAL.toNanos();

    Progress(String label, String tag) {
      this.label = label;
      this.tag = tag;
    }

    @Override
    public void run() {
      if (System.nanoTime() < nextNs) {
        return;
      }
      nextNs = System.nanoTime() + PROGRESS_INTERVAL.toNanos();
      history
          .progress(tag)
          .ifPresent(percent -> progress.accept("%s: %.0f %%".formatted(label, percent)));
    }
  }
}
