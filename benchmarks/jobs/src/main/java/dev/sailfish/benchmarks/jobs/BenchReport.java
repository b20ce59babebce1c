package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The runs of a bench as JSON and as a table. */
final class BenchReport {
  private static final String COLUMNS =
      "shuffle round mb wall_s map_s reduce_s cpu_s master_cpu_s spilled_bytes records valid";
  private static final String ABOVE_NULL = "above_null_cpu_s";
  private static final String COUNTED_ABOVE_NULL = "counted_above_null_cpu_s";

  /** What Sailfish is compared with, by the name of the ratio. */
  private static final Map<String, Contender> RATIOS = new LinkedHashMap<>();

  static {
    RATIOS.put("ratio", Contender.STOCK);
    RATIOS.put("ratio_tuned", Contender.STOCK_TUNED);
  }

  private final List<BenchRun> runs;
  private final Map<String, String> settings;

  /** The runs without the null jobs that others are compared with. */
  private final List<BenchRun> main;

  /**
   * Reports on these runs. When some have records and some have none, the latter are the null job,
   * and what each contender's CPU time is above it is reported too.
   *
   * @param settings of the jobs that were not the bench's own
   */
  BenchReport(List<BenchRun> runs, Map<String, String> settings) {
    this.runs = List.copyOf(runs);
    this.settings = Map.copyOf(settings);
    boolean any = runs.stream().anyMatch(run -> run.size().mb() > 0);
    main = runs.stream().filter(run -> !any || run.size().mb() > 0).toList();
  }

  /** Whether every run was valid, and there was one. */
  boolean allValid() {
    return !runs.isEmpty() && runs.stream().allMatch(BenchRun::valid);
  }

  /**
   * {@code {"settings": {...}, "runs": [...], "summary": {...}}}: in the summary, medians of the
   * valid runs per contender; {@code ratio}, which is Sailfish's median divided by stock's, and
   * {@code ratio_tuned}, by that of tuned stock, where both ran; and what is above the null job, of
   * all CPU seconds and of those that tasks and Sailfish's daemons count themselves.
   */
  ObjectNode json() {
    ObjectNode root = Report.JSON.createObjectNode();
    if (!settings.isEmpty()) {
      root.set("settings", Report.JSON.valueToTree(new TreeMap<>(settings)));
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
        summary.set(contender.toString(), Medians.of(own));
      }
    }
    addRatios(summary);
    if (main.size() < runs.size()) {
      summary.set(ABOVE_NULL, aboveNull(BenchRun::cpuS));
      summary.set(COUNTED_ABOVE_NULL, aboveNull(BenchRun::countedCpuS));
    }
    return summary;
  }

  private ObjectNode aboveNull(ToDoubleFunction<BenchRun> figure) {
    ObjectNode above = Report.JSON.createObjectNode();
    for (Contender contender : Contender.values()) {
      if (!validRuns(contender).isEmpty()) {
        above.put(contender.toString(), aboveNull(contender, figure));
      }
    }
    addRatios(above);
    return above;
  }

  /** Adds what Sailfish has divided by what each of its rivals has, to an object by contender. */
  private static void addRatios(ObjectNode byContender) {
    JsonNode sailfish = byContender.path(Contender.SAILFISH.toString());
    RATIOS.forEach(
        (name, rival) -> {
          JsonNode other = byContender.path(rival.toString());
          if (!sailfish.isMissingNode() && !other.isMissingNode()) {
            byContender.set(name, Medians.ratio(sailfish, other));
          }
        });
  }

  /**
   * Median over the rounds of a run's CPU seconds less those of the null job that ran right before
   * it: a machine that drifts is then the same for both. NaN when no round has two valid runs.
   */
  private double aboveNull(Contender contender, ToDoubleFunction<BenchRun> figure) {
    DoubleStream differences =
        validRuns(contender).stream()
            .flatMapToDouble(
                run ->
                    runs.stream()
                        .filter(other -> other.size().mb() == 0 && other.valid())
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
    RATIOS.forEach(
        (name, rival) -> {
          JsonNode ratio = summary.path(name);
          if (ratio.isObject()) {
            lines.append(Report.text("sailfish / %s: %s%n", rival, Medians.text(ratio)));
          }
        });
    addAboveNull(lines, "", summary.path(ABOVE_NULL));
    addAboveNull(lines, "counted ", summary.path(COUNTED_ABOVE_NULL));
    return lines.toString();
  }

  private static void addAboveNull(StringBuilder lines, String which, JsonNode above) {
    if (!above.isObject()) {
      return;
    }
    List<String> parts = new ArrayList<>();
    for (Contender contender : Contender.values()) {
      if (above.has(contender.toString())) {
        parts.add(Report.text("%s %.1f", contender, above.path(contender.toString()).asDouble()));
      }
    }
    RATIOS.forEach(
        (name, rival) -> {
          if (above.has(name)) {
            parts.add(Report.text("sailfish / %s %.2f", rival, above.path(name).asDouble()));
          }
        });
    lines.append("CPU s ").append(which).append("above the null job: ");
    lines.append(String.join(", ", parts)).append('\n');
  }
}
