package dev.sailfish.launcher.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Runs a workload with all contenders, which take turns within each round. */
public final class Bench {
  private final BenchPlan plan;
  private final BenchWorkload workload;
  private final MeasuredRunner runner;
  private final Consumer<String> progress;

  /**
   * @param runner on a running cluster
   * @param progress receives a line for each step
   */
  public Bench(
      BenchPlan plan, BenchWorkload workload, MeasuredRunner runner, Consumer<String> progress) {
    this.plan = plan;
    this.workload = workload;
    this.runner = runner;
    this.progress = progress;
  }

  /**
   * Runs a small job per contender, so that the first run does not pay for what daemons do only
   * once.
   */
  public void warmUp(BenchWorkload small) {
    for (Shuffle shuffle : plan.shuffles()) {
      progress.accept("warming up: " + shuffle);
      runner.run("warm-up-" + shuffle, small.request(shuffle, 0));
    }
  }

  /** Runs all rounds. */
  public BenchReport run() {
    workload.prepare(runner);
    try {
      return new BenchReport(runAll());
    } finally {
      workload.clean();
    }
  }

  private List<BenchRun> runAll() {
    List<BenchRun> runs = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Shuffle shuffle : plan.order(round)) {
        progress.accept("round " + round + " of " + plan.rounds() + ": " + shuffle);
        BenchRun run = run(shuffle, round);
        progress.accept(
            String.format(
                Locale.ROOT,
                "  %.1f s, %.1f CPU s%s",
                run.wallSeconds(),
                run.cpuSeconds(),
                run.valid() ? "" : ", INVALID"));
        runs.add(run);
      }
    }
    return runs;
  }

  private BenchRun run(Shuffle shuffle, int round) {
    Measurement measurement =
        runner.run("bench-" + shuffle + "-" + round, workload.request(shuffle, round));
    boolean valid =
        measurement.succeeded() && workload.isRight(shuffle, round, measurement, runner);
    return BenchRun.of(workload.label(), plan, shuffle, round, measurement, valid);
  }
}
