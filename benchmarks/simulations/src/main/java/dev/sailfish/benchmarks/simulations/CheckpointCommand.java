package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import dev.sailfish.benchmarks.simulations.edge.Iterations;
import dev.sailfish.benchmarks.simulations.edge.RecoveryComparison;
import dev.sailfish.cli.TextTable;
import dev.sailfish.lineage.edge.checkpoint.ArrivalOrder;
import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish model checkpoints}: figure 9 of the paper. */
@Command(
    name = "checkpoints",
    description = {
      "How long an iterative workflow needs after a failure to be where it was, with checkpoints by"
          + " Edge, with and without patience, and at fixed intervals. All policies have the same"
          + " drawn workflows and failures.",
      "Also with phases, in which jobs run for a quarter of the mean and for the double in turns,"
          + " and with two chains. Defaults are those of the paper."
    })
final class CheckpointCommand extends Model {
  private static final int LONGEST_INTERVAL = 20;

  @Option(
      names = "--jobs",
      defaultValue = "100",
      description = "Jobs of a chain (default: ${DEFAULT-VALUE}).")
  private int jobs;

  @Option(
      names = "--mean",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "A job's mean duration (default: ${DEFAULT-VALUE}).")
  private double mean;

  @Option(
      names = "--sigma",
      split = ",",
      paramLabel = "SECONDS",
      defaultValue = "1,2,5",
      description = "Its standard deviation; several with commas (default: ${DEFAULT-VALUE}).")
  private List<Double> sigmas;

  @Option(
      names = "--checkpoint",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long one file is written (default: ${DEFAULT-VALUE}).")
  private double checkpoint;

  @Option(
      names = "--runs",
      defaultValue = "2000",
      description = "Workflows that are drawn (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Seed of all that is drawn (default: ${DEFAULT-VALUE}).")
  private long seed;

  private final Map<String, Supplier<CheckpointPolicy>> policies = new LinkedHashMap<>();

  @Override
  Result compute() {
    requireAboveZero("--jobs", jobs);
    requireAboveZero("--mean", mean);
    requireAboveZero("--checkpoint", checkpoint);
    requireAboveZero("--runs", runs);
    sigmas.forEach(sigma -> requireAboveZero("--sigma", sigma));
    policies.put("Edge", () -> new EdgePolicy(EdgeSettings.PATIENT_LEAVES));
    IntStream.rangeClosed(1, LONGEST_INTERVAL)
        .forEach(n -> policies.put(Integer.toString(n), () -> ArrivalOrder.fixedInterval(n)));
    policies.put("by the letter", () -> new EdgePolicy(EdgeSettings.LEAVES_ALONE));
    List<Double> phases = List.of(mean / 4, 2 * mean, mean / 4, 2 * mean);
    StringBuilder text = new StringBuilder();
    List<Figure> figures = new ArrayList<>();
    add(text, figures, "one chain", "recovery", 1, List.of(mean));
    add(text, figures, "one chain with phases", "recovery-phases", 1, phases);
    add(text, figures, "two chains", "recovery-two-chains", 2, List.of(mean));
    add(text, figures, "two chains with phases", "recovery-two-chains-phases", 2, phases);
    return new Result(text.toString(), figures);
  }

  private void requireAboveZero(String option, double value) {
    if (!(value > 0 && Double.isFinite(value))) {
      throw wrongArguments("%s is %s: give a number above 0".formatted(option, value));
    }
  }

  private void add(
      StringBuilder text,
      List<Figure> figures,
      String title,
      String name,
      int chains,
      List<Double> means) {
    TextTable table =
        new TextTable(
            "sigma s|Edge s|without patience s|best interval|its s|second best|its s|interval 1 s");
    List<Series> series = new ArrayList<>();
    List<String> verdicts = new ArrayList<>();
    for (double sigma : sigmas) {
      Iterations iterations = new Iterations(chains, jobs, means, sigma, checkpoint);
      List<RecoveryComparison.Result> results =
          new RecoveryComparison(iterations, runs, seed).compare(List.copyOf(policies.values()));
      List<Double> seconds = results.stream().map(RecoveryComparison.Result::meanSeconds).toList();
      List<Integer> order =
          new ArrayList<>(IntStream.rangeClosed(1, LONGEST_INTERVAL).boxed().toList());
      order.sort((one, other) -> Double.compare(seconds.get(one), seconds.get(other)));
      table.add(
          Figure.number(sigma),
          seconds.get(0),
          seconds.get(LONGEST_INTERVAL + 1),
          order.get(0),
          seconds.get(order.get(0)),
          order.get(1),
          seconds.get(order.get(1)),
          seconds.get(1));
      verdicts.add(verdict(sigma, results));
      String label = " (sigma " + Figure.number(sigma) + " s)";
      series.add(new Series("Edge" + label, Collections.nCopies(LONGEST_INTERVAL, seconds.get(0))));
      series.add(new Series("interval" + label, seconds.subList(1, LONGEST_INTERVAL + 1)));
    }
    text.append(text.isEmpty() ? "" : "\n").append("Recovery, ").append(title).append(":\n");
    text.append(table.render()).append(String.join("", verdicts));
    figures.add(
        new Figure(
            name,
            "Mean recovery time, " + title,
            "jobs between two checkpoints",
            "s",
            Kind.LINES,
            IntStream.rangeClosed(1, LONGEST_INTERVAL).mapToObj(Integer::toString).toList(),
            series));
  }

  /** Which intervals are better or worse than Edge by more than three standard errors. */
  private String verdict(double sigma, List<RecoveryComparison.Result> results) {
    List<String> better = new ArrayList<>();
    int worse = 0;
    for (int interval = 1; interval <= LONGEST_INTERVAL; interval++) {
      RecoveryComparison.Result result = results.get(interval);
      worse += result.isBeatenByFirst() ? 1 : 0;
      if (result.beatsFirst()) {
        better.add(
            String.format(
                Locale.ROOT,
                "%d (%.1f ± %.1f s)",
                interval,
                result.aboveFirstSeconds(),
                result.errorSeconds()));
      }
    }
    return "sigma %s s: Edge beats %d intervals of %d; better than Edge: %s\n"
        .formatted(
            Figure.number(sigma),
            worse,
            LONGEST_INTERVAL,
            better.isEmpty() ? "none" : String.join(", ", better));
  }
}
