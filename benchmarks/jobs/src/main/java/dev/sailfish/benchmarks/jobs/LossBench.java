package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.loss.ChunkserverLoss;
import dev.sailfish.benchmarks.jobs.loss.MapOutputLoss;
import dev.sailfish.benchmarks.jobs.measure.Loss;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs a job twice in each contender's turn: undisturbed, and with a loss. */
final class LossBench {
  private final BenchWorkload workload;
  private final Bench bench;
  private final LocalCluster cluster;

  /**
   * A bench of loss.
   *
   * @param bench which runs the jobs
   * @param cluster on which it does; chunkservers of it are killed and started again
   */
  LossBench(BenchWorkload workload, Bench bench, LocalCluster cluster) {
    this.workload = workload;
    this.bench = bench;
    this.cluster = cluster;
  }

  List<LossRun> run() throws IOException {
    BenchPlan plan = workload.plan();
    List<LossRun> runs = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Contender contender : plan.order(round)) {
        runs.add(run(contender, round, Loss.NOTHING));
        runs.add(run(contender, round, loss(contender, round)));
      }
    }
    return runs;
  }

  /** About a quarter of what the shuffle holds, in both cases. */
  private Loss loss(Contender contender, int round) {
    return contender.shuffle() == Shuffle.SAILFISH
        ? new ChunkserverLoss(cluster, round)
        : new MapOutputLoss(cluster.layout().nodeManagerLocal());
  }

  private LossRun run(Contender contender, int round, Loss loss) throws IOException {
    try {
      return LossRun.of(loss, bench.run(workload, contender, round, Optional.of(loss)));
    } finally {
      loss.repair();
    }
  }
}
