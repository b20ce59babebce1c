package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.TextTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** The runs of a bench of loss as JSON and as a table. */
final class LossReport {
  private static final String COLUMNS =
      "shuffle round disturbed wall_s map_s reduce_s cpu_s maps_again reduces_again records valid"
          + " lost";
  private static final String RATIO = "ratio";

  private final List<LossRun> runs;
  private final Map<String, String> settings;

  /**
   * Reports on these runs.
   *
   * @param settings of the jobs that were not the bench's own
   */
  LossReport(List<LossRun> runs, Map<String, String> settings) {
    this.runs = List.copyOf(runs);
    this.settings = Map.copyOf(settings);
  }

  /** Whether every run was valid, and there was one. */
  boolean allValid() {
    return !runs.isEmpty() && runs.stream().map(LossRun::run).allMatch(BenchRun::valid);
  }

  /**
   * {@code {"settings": {...}, "runs": [...], "summary": {...}}}: in the summary, for each
   * contender the medians of its valid runs, {@code undisturbed} and {@code disturbed}, and {@code
   * ratio}, which is the second divided by the first.
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
      ObjectNode own = Report.JSON.createObjectNode();
      for (boolean disturbed : new boolean[] {false, true}) {
        List<BenchRun> valid = validRuns(contender, disturbed);
        if (!valid.isEmpty()) {
          own.set(name(disturbed), medians(valid));
        }
      }
      if (own.size() == 2) {
        own.set(RATIO, Medians.ratio(own.path(name(true)), own.path(name(false))));
      }
      if (!own.isEmpty()) {
        summary.set(contender.toString(), own);
      }
    }
    return summary;
  }

  private static String name(boolean disturbed) {
    return disturbed ? "disturbed" : "undisturbed";
  }

  private static ObjectNode medians(List<BenchRun> valid) {
    return Medians.of(valid)
        .put("maps_again", median(valid, BenchRun.Again::mapsAgain))
        .put("reduces_again", median(valid, BenchRun.Again::reducesAgain));
  }

  private static double median(List<BenchRun> runs, ToLongFunction<BenchRun.Again> count) {
    return Medians.median(runs.stream().map(BenchRun::again).mapToLong(count).asDoubleStream());
  }

  private List<BenchRun> validRuns(Contender contender, boolean disturbed) {
    return runs.stream()
        .filter(run -> run.disturbed() == disturbed)
        .map(LossRun::run)
        .filter(run -> run.valid() && run.shuffle().equals(contender.toString()))
        .toList();
  }

  /** A line per run, lines of medians, and a line per contender with what a loss costs it. */
  String table() {
    TextTable table = Report.table(runs, COLUMNS);
    ObjectNode summary = summary();
    StringBuilder ratios = new StringBuilder();
    for (Map.Entry<String, JsonNode> contender : summary.properties()) {
      for (boolean disturbed : new boolean[] {false, true}) {
        if (contender.getValue().get(name(disturbed)) instanceof ObjectNode medians
            && medians.path("valid_runs").asInt() > 1) {
          medians.put("shuffle", contender.getKey()).put("round", "median");
          table.add(Report.cells(medians.put("disturbed", disturbed), COLUMNS.split(" ")));
        }
      }
      if (contender.getValue().has(RATIO)) {
        String ratio = Medians.text(contender.getValue().get(RATIO));
        ratios.append(Report.text("%s, disturbed / undisturbed: %s%n", contender.getKey(), ratio));
      }
    }
    return table.render() + ratios;
  }
}
