package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.Loss;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.BenchWorkload;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs workloads with all contenders, which take turns within each round. */
final class Bench {
  private final BenchPlan plan;
  private final List<BenchWorkload> workloads;
  private final MeasuredRunner runner;
  private final Consumer<String> progress;

  /**
   * @param workloads the jobs of each turn, one after the other; all for the contenders and rounds
   *     of the first one's plan
   * @param runner on a running cluster
   * @param progress receives a line for each step
   */
  Bench(List<BenchWorkload> workloads, MeasuredRunner runner, Consumer<String> progress) {
    this.plan = workloads.get(0).plan();
    this.workloads = List.copyOf(workloads);
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

  /**
   * Runs the last workload so often, before the rounds and as the contender whose daemons are to be
   * warm: the first one of Sailfish's, or the first one.
   *
   * @return what was measured of these runs; their rounds are counted from 1
   */
  List<BenchRun> warmUp(int jobs) throws IOException {
    BenchWorkload workload = workloads.get(workloads.size() - 1);
    workload.prepare(runner);
    Contender contender =
        plan.contenders().stream()
            .filter(Contender::isSailfish)
            .findFirst()
            .orElse(plan.contenders().get(0));
    List<BenchRun> runs = new ArrayList<>();
    for (int job = 1; job <= jobs; job++) {
      String label = workload.label();
      progress.accept("warming up, %d of %d: %s, %s".formatted(job, jobs, contender, label));
      String run = "warm-up-%d-%s-%s".formatted(job, label, contender);
      runs.add(run(workload, contender, job, run, Optional.empty()));
    }
    return runs;
  }

  /** Runs all rounds; what the runs wrote is deleted unless one of them was wrong. */
  List<BenchRun> run() throws IOException {
    for (BenchWorkload workload : workloads) {
      workload.prepare(runner);
    }
    List<BenchRun> runs = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Contender contender : plan.order(round)) {
        for (BenchWorkload workload : workloads) {
          runs.add(run(workload, contender, round, Optional.empty()));
        }
      }
    }
    if (runs.stream().allMatch(BenchRun::valid)) {
      workloads.forEach(BenchWorkload::clean);
    }
    return runs;
  }

  /**
   * Runs one job and checks it.
   *
   * @param loss what it loses meanwhile; a run that ended before it lost it is not valid
   */
  BenchRun run(BenchWorkload workload, Contender contender, int round, Optional<Loss> loss)
      throws IOException {
    String label = workload.label();
    String losing = loss.map(what -> " losing " + what.name()).orElse("");
    progress.accept(
        "round %d of %d: %s, %s%s".formatted(round, plan.rounds(), contender, label, losing));
    return run(workload, contender, round, label + "-" + contender + "-" + round + losing, loss);
  }

  private BenchRun run(
      BenchWorkload workload, Contender contender, int round, String name, Optional<Loss> loss)
      throws IOException {
    Measurement measurement =
        runner.run(name.replace(' ', '-'), workload.request(contender, round), loss);
    Optional<String> mistake =
        measurement.succeeded()
            ? workload.mistake(measurement, runner)
            : Optional.of("the job failed with exit code " + measurement.exitCode());
    if (loss.isPresent() && loss.get().lost().isEmpty()) {
      mistake = mistake.or(() -> Optional.of("it ended before anything was lost"));
    }
    BenchRun run =
        BenchRun.of(
            workload.label(), workload.plan(), contender, round, measurement, mistake.isEmpty());
    progress.accept(
        String.format(Locale.ROOT, "  %.1f s, %.1f CPU s", run.wallS(), run.cpuS())
            + mistake.map(what -> ", INVALID: " + what).orElse(""));
    return run;
  }
}
