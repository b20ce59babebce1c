package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The runs of a bench as JSON and as a table. */
final class BenchReport {
  private static final String COLUMNS =
      "workload shuffle round mb wall_s map_s reduce_s cpu_s master_cpu_s sailfish_cpu_s"
          + " spilled_bytes records valid";
  private static final String DAEMONS = "sailfish_cpu_s";

  /**
   * Two contenders whose figures are divided.
   *
   * @param name in the JSON
   * @param own whose figures are above the line
   * @param rival whose are below
   */
  private record Ratio(String name, Contender own, Contender rival) {}

  private static final List<Ratio> RATIOS = new ArrayList<>();

  static {
    for (Contender own : Contender.values()) {
      if (own.isSailfish()) {
        String name = own.toString().replace(Contender.SAILFISH.toString(), "ratio");
        name = name.replace('-', '_');
        RATIOS.add(new Ratio(name, own, Contender.STOCK));
        RATIOS.add(new Ratio(name + "_tuned", own, Contender.STOCK_TUNED));
      }
    }
    for (Contender own : List.of(Contender.SAILFISH_ISOLATED, Contender.SAILFISH_SHARED)) {
      String name = own.toString().replace("sailfish-", "ratio_") + "_cold";
      RATIOS.add(new Ratio(name, own, Contender.SAILFISH_COLD));
    }
  }

  /** Another job that each run is compared with. */
  private enum Base {
    NULL("above_null", "the null job", BenchRun::isNull),
    OWN_WORK("above_own_work", "the job's own work", BenchRun::isOwnWork);

    private final String name;
    private final String text;
    private final Predicate<BenchRun> test;

    Base(String name, String text, Predicate<BenchRun> test) {
      this.name = name;
      this.text = text;
      this.test = test;
    }
  }

  private final List<BenchRun> runs;
  private final List<BenchRun> warmUps;
  private final Map<String, String> settings;
  private final Map<String, String> master;

  /** The runs without those that others are compared with. */
  private final List<BenchRun> main;

  private BenchReport(
      List<BenchRun> runs,
      List<BenchRun> warmUps,
      Map<String, String> settings,
      Map<String, String> master) {
    this.runs = List.copyOf(runs);
    this.warmUps = List.copyOf(warmUps);
    this.settings = Map.copyOf(settings);
    this.master = Map.copyOf(master);
    boolean any = runs.stream().anyMatch(run -> run.size().mb() > 0);
    main = runs.stream().filter(run -> !run.isOwnWork() && !(any && run.isNull())).toList();
  }

  /**
   * Reports on these runs. When some have records and some have none, the latter are the null job,
   * and what each contender's CPU time is above it is reported too; likewise above its own work.
   *
   * @param settings of the jobs that were not the bench's own
   */
  BenchReport(List<BenchRun> runs, Map<String, String> settings) {
    this(runs, List.of(), settings, Map.of());
  }

  /**
   * The same.
   *
   * @param plan of all runs
   * @param warmUps what ran before the rounds; no median counts it
   */
  static BenchReport of(BenchPlan plan, List<BenchRun> warmUps, List<BenchRun> runs) {
    return new BenchReport(runs, warmUps, plan.settings(), plan.master().configuration());
  }

  /** Whether every run was valid, and there was one. */
  boolean allValid() {
    return !runs.isEmpty()
        && Stream.concat(warmUps.stream(), runs.stream()).allMatch(BenchRun::valid);
  }

  /**
   * {@code {"settings": {...}, "master": {...}, "warm_up": [...], "runs": [...], "summary":
   * {...}}}: {@code master} has the keys that contender {@code sailfish} sets for its
   * ApplicationMaster. In the summary, medians of the valid runs per contender; {@code ratio},
   * which is Sailfish's median divided by stock's, and {@code ratio_tuned}, by that of tuned stock,
   * where both ran, and the same for each other contender of Sailfish's, as {@code
   * ratio_isolated_tuned}; and what is above the null job and above the job's own work, of all CPU
   * seconds and of those that tasks and Sailfish's daemons count themselves.
   */
  ObjectNode json() {
    ObjectNode root = Report.JSON.createObjectNode();
    if (!settings.isEmpty()) {
      root.set("settings", Report.JSON.valueToTree(new TreeMap<>(settings)));
    }
    if (!master.isEmpty()) {
      root.set("master", Report.JSON.valueToTree(new TreeMap<>(master)));
    }
    if (!warmUps.isEmpty()) {
      root.set("warm_up", Report.rows(warmUps));
    }
    root.set("runs", Report.rows(runs));
    root.set("summary", summary());
    return root;
  }

  private ObjectNode summary() {
    ObjectNode summary = Report.JSON.createObjectNode();
    for (Contender contender : Contender.values()) {
      List<BenchRun> own = validRuns(contender);
      if (!own.isEmpty()) {
        double daemons = Medians.median(own.stream().mapToDouble(BenchRun::sailfishCpuS));
        summary.set(contender.toString(), Medians.of(own).put(DAEMONS, daemons));
      }
    }
    addRatios(summary);
    for (Base base : Base.values()) {
      if (runs.stream().anyMatch(base.test) && !main.stream().allMatch(base.test)) {
        summary.set(base.name + "_cpu_s", above(base, BenchRun::cpuS));
        summary.set("counted_" + base.name + "_cpu_s", above(base, BenchRun::countedCpuS));
      }
    }
    return summary;
  }

  private ObjectNode above(Base base, ToDoubleFunction<BenchRun> figure) {
    ObjectNode above = Report.JSON.createObjectNode();
    for (Contender contender : Contender.values()) {
      if (!validRuns(contender).isEmpty()) {
        above.put(contender.toString(), above(base, contender, figure));
      }
    }
    addRatios(above);
    return above;
  }

  /** Adds what Sailfish has divided by what each of its rivals has, to an object by contender. */
  private static void addRatios(ObjectNode byContender) {
    for (Ratio ratio : RATIOS) {
      JsonNode own = byContender.path(ratio.own().toString());
      JsonNode rival = byContender.path(ratio.rival().toString());
      if (!own.isMissingNode() && !rival.isMissingNode()) {
        byContender.set(ratio.name(), Medians.ratio(own, rival));
      }
    }
  }

  /**
   * Median over the rounds of a run's CPU seconds less those of the base that ran right before it:
   * a machine that drifts is then the same for both. NaN when no round has two valid runs.
   */
  private double above(Base base, Contender contender, ToDoubleFunction<BenchRun> figure) {
    DoubleStream differences =
        validRuns(contender).stream()
            .flatMapToDouble(
                run ->
                    runs.stream()
                        .filter(other -> base.test.test(other) && other.valid())
                        .filter(other -> other.shuffle().equals(run.shuffle()))
                        .filter(other -> other.round() == run.round())
                        .mapToDouble(
                            other -> figure.applyAsDouble(run) - figure.applyAsDouble(other)));
    return Medians.rounded(Medians.median(differences), 100);
  }

  private List<BenchRun> validRuns(Contender contender) {
    return main.stream()
        .filter(run -> run.valid() && run.shuffle().equals(contender.toString()))
        .toList();
  }

  /** A line per run, a line of medians per contender, and what the summary compares. */
  String table() {
    TextTable table = Report.table(runs, COLUMNS);
    JsonNode summary = summary();
    for (Contender contender : Contender.values()) {
      ObjectNode medians = (ObjectNode) summary.get(contender.toString());
      if (medians != null && medians.path("valid_runs").asInt() > 1) {
        medians.put("shuffle", contender.toString()).put("round", "median");
        table.add(Report.cells(medians, COLUMNS.split(" ")));
      }
    }
    StringBuilder lines = new StringBuilder(table.render());
    if (!warmUps.isEmpty()) {
      lines.append(warmUpText()).append('\n');
    }
    for (Ratio ratio : RATIOS) {
      JsonNode value = summary.path(ratio.name());
      if (value.isObject()) {
        String text = Medians.text(value);
        lines.append(Report.text("%s / %s: %s%n", ratio.own(), ratio.rival(), text));
      }
    }
    for (Base base : Base.values()) {
      addAbove(lines, "CPU s above " + base.text, summary.path(base.name + "_cpu_s"));
      String counted = "counted_" + base.name + "_cpu_s";
      addAbove(lines, "CPU s counted above " + base.text, summary.path(counted));
    }
    return lines.toString();
  }

  private String warmUpText() {
    BenchRun first = warmUps.get(0);
    String daemons =
        warmUps.stream()
            .map(run -> Report.text("%.1f", run.sailfishCpuS()))
            .collect(Collectors.joining(", "));
    return "warm-up as %s: CPU s of Sailfish's daemons %s".formatted(first.shuffle(), daemons);
  }

  private static void addAbove(StringBuilder lines, String what, JsonNode above) {
    if (!above.isObject()) {
      return;
    }
    List<String> parts = new ArrayList<>();
    for (Contender contender : Contender.values()) {
      if (above.has(contender.toString())) {
        parts.add(Report.text("%s %.1f", contender, above.path(contender.toString()).asDouble()));
      }
    }
    for (Ratio ratio : RATIOS) {
      if (above.has(ratio.name())) {
        double value = above.path(ratio.name()).asDouble();
        parts.add(Report.text("%s / %s %.2f", ratio.own(), ratio.rival(), value));
      }
    }
    lines.append(what).append(": ").append(String.join(", ", parts)).append('\n');
  }
}
