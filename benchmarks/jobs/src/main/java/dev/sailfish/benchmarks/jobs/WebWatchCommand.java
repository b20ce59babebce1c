package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.watch.WatchBench;
import dev.sailfish.benchmarks.jobs.watch.WatchRun;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.MasterChoice;
import dev.sailfish.localcluster.client.ReduceWork;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench web-watch}. */
@Command(
    name = "web-watch",
    description = {
      "What it costs that people watch a job: one job of many short maps, looked at in stretches"
          + " without the web process, with it, and with clients that listen to the job's events.",
      "The three take turns within each round, and the web process is killed and started again."
          + " Exit code 0 only if each client heard events, the job outlived all rounds, and it"
          + " succeeded."
    })
final class WebWatchCommand extends BenchCommand.Benchmark {
  private static final int MOST_CLIENTS = 200;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "50",
      description = "Clients that listen (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "How long each of the three is looked at in a round (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Map tasks of the job, which must last for all rounds: 3 x (--seconds + 10) each, and a"
              + " minute before the first (default: ${DEFAULT-VALUE}).")
  private int maps;

  @Option(
      names = "--mb",
      paramLabel = "N",
      defaultValue = "100",
      description = "Megabytes of its records (default: ${DEFAULT-VALUE}).")
  private int mb;

  @Option(
      names = "--reduces",
      paramLabel = "N",
      defaultValue = "16",
      description = "Its partitions (default: ${DEFAULT-VALUE}).")
  private int reduces;

  private BenchPlan plan;

  @Override
  public Integer call() throws IOException {
    if (clients < 1 || clients > MOST_CLIENTS) {
      throw new CommandException("--clients are 1 to %d, not %d.".formatted(MOST_CLIENTS, clients));
    }
    if (seconds < 1) {
      throw new CommandException("--seconds is at least 1, not " + seconds + ".");
    }
    plan =
        new BenchPlan(
            mb,
            maps,
            reduces,
            List.of(Contender.SAILFISH),
            rounds,
            Codec.NONE,
            new MasterChoice(ReduceWork.AUTO, Optional.empty()),
            Map.of());
    return onCluster();
  }

  @Override
  boolean isOfWeb() {
    return true;
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    LocalCluster cluster = session.cluster();
    if (cluster.state().web().isEmpty()) {
      throw new CommandException(
          "bench web-watch needs a web process, and the cluster in %s has none: stop it first, or"
                  .formatted(cluster.layout().home())
              + " name another --dir.");
    }
    JobRequest job =
        new PartitionedSort(plan, JobJars.of(cluster.distribution()), false, 0)
            .request(Contender.SAILFISH, 1);
    List<WatchRun> runs =
        new WatchBench(cluster, runner, Duration.ofSeconds(seconds), this::progress)
            .run(job, clients, rounds);
    WatchReport report = new WatchReport(runs, clients);
    show(report.table(), report.json());
    return runs.stream().allMatch(WatchRun::valid);
  }
}
