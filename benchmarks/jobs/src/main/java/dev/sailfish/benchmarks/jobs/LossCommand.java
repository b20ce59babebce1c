package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code sailfish bench loss}. */
@Command(
    name = "loss",
    description = {
      "The partitioned sort, once undisturbed and once with a loss when half of its reduce tasks"
          + " are done: of one of four chunkservers (Sailfish), of the output of every fourth map"
          + " (stock).",
      "Contenders take turns within each round. Exit code 0 only if every run was valid."
    })
final class LossCommand extends BenchCommand.Comparison {
  private static final int CHUNKSERVERS = 4;

  @Override
  SailfishOptions servers() {
    return new SailfishOptions(CHUNKSERVERS, Map.of());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    LocalCluster cluster = session.cluster();
    int chunkservers = cluster.state().chunkservers().size();
    if (chunkservers != CHUNKSERVERS) {
      throw new CommandException(
          "bench loss needs %d chunkservers, and the cluster in %s has %d: stop it first, or name"
                  .formatted(CHUNKSERVERS, cluster.layout().home(), chunkservers)
              + " another --dir.");
    }
    JobJars jars = JobJars.of(cluster.distribution());
    PartitionedSort sort = new PartitionedSort(plan(), jars, false, 0);
    Bench bench = new Bench(List.of(sort), runner, this::progress);
    if (session.isOwner()) {
      bench.warmUp(new PartitionedSort(BenchPlan.small(1, plan().contenders()), jars, false, 0));
    }
    LossReport report =
        new LossReport(new LossBench(sort, bench, cluster).run(), plan().settings());
    show(report.table(), report.json());
    return report.allValid();
  }
}
