package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs workloads with all contenders, which take turns within each round. */
final class Bench {
  private final BenchPlan plan;
  private final List<Entry> entries;
  private final MeasuredRunner runner;
  private final Consumer<String> progress;

  /**
   * One of the jobs that a contender runs in its turn.
   *
   * @param plan what the report says of it
   * @param workload what it is
   */
  record Entry(BenchPlan plan, BenchWorkload workload) {}

  /**
   * @param entries the jobs of each turn, one after the other; all for the contenders and rounds of
   *     the first one's plan
   * @param runner on a running cluster
   * @param progress receives a line for each step
   */
  Bench(List<Entry> entries, MeasuredRunner runner, Consumer<String> progress) {
    this.plan = entries.get(0).plan();
    this.entries = List.copyOf(entries);
    this.runner = runner;
    this.progress = progress;
  }

  /**
   * Runs a small job per contender, so that the first run does not pay for what daemons do only
   * once.
   */
  void warmUp(BenchWorkload small) {
    for (Contender contender : plan.contenders()) {
      progress.accept("warming up: " + contender);
      runner.run("warm-up-" + contender, small.request(contender, 0));
    }
  }

  /** Runs all rounds; what the runs wrote is deleted unless one of them was wrong. */
  List<BenchRun> run() {
    entries.forEach(entry -> entry.workload().prepare(runner));
    List<BenchRun> runs = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Contender contender : plan.order(round)) {
        for (Entry entry : entries) {
          runs.add(run(entry, contender, round));
        }
      }
    }
    if (runs.stream().allMatch(BenchRun::valid)) {
      entries.forEach(entry -> entry.workload().clean());
    }
    return runs;
  }

  private BenchRun run(Entry entry, Contender contender, int round) {
    BenchWorkload workload = entry.workload();
    String label = workload.label();
    progress.accept("round " + round + " of " + plan.rounds() + ": " + contender + ", " + label);
    Measurement measurement =
        runner.run(
            (label + "-" + contender + "-" + round).replace(' ', '-'),
            workload.request(contender, round));
    Optional<String> mistake =
        measurement.succeeded()
            ? workload.mistake(measurement, runner)
            : Optional.of("the job failed with exit code " + measurement.exitCode());
    BenchRun run =
        BenchRun.of(label, entry.plan(), contender, round, measurement, mistake.isEmpty());
    progress.accept(
        String.format(Locale.ROOT, "  %.1f s, %.1f CPU s", run.wallS(), run.cpuS())
            + mistake.map(what -> ", INVALID: " + what).orElse(""));
    return run;
  }
}
