package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.mapreduce.lines.PaperJob;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.TextTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** The runs of the paper's jobs as JSON and as the paper's table 3. */
final class WorkloadsReport {
  private static final String HEADINGS =
      "job|characteristics|operators|input MB|int. MB stock|sailfish|maps|reduces stock|sailfish"
          + "|run s stock|sailfish|ratio|CPU ratio|paper's ratio";
  private static final String RATIO = "ratio";

  private final double scale;
  private final Map<String, String> settings;
  private final List<PaperRun> runs;

  /**
   * Reports on these runs.
   *
   * @param scale of all of them
   * @param settings of the jobs that were not the bench's own
   */
  WorkloadsReport(double scale, Map<String, String> settings, List<PaperRun> runs) {
    this.scale = scale;
    this.settings = Map.copyOf(settings);
    this.runs = List.copyOf(runs);
  }

  /** Whether every run was valid, and there was one. */
  boolean allValid() {
    return !runs.isEmpty() && runs.stream().allMatch(run -> run.run().valid());
  }

  /**
   * {@code {"scale": 1.0, "settings": {...}, "runs": [...], "summary": {JOB: {...}}}}: in the
   * summary, for each job that ran, its input, the medians of the valid runs of each contender,
   * intermediate data and reduce tasks among them, and {@code ratio}, Sailfish's divided by
   * stock's.
   */
  ObjectNode json() {
    ObjectNode root = Report.JSON.createObjectNode().put("scale", scale);
    if (!settings.isEmpty()) {
      root.set("settings", Report.JSON.valueToTree(new TreeMap<>(settings)));
    }
    root.set("runs", Report.rows(runs));
    ObjectNode summary = root.putObject("summary");
    for (PaperJob job : PaperJob.values()) {
      if (runs.stream().anyMatch(run -> run.run().workload().equals(job.title()))) {
        summary.set(job.title(), summary(job));
      }
    }
    return root;
  }

  private ObjectNode summary(PaperJob job) {
    List<PaperRun> own = runs.stream().filter(run -> run.isValidRunOf(job)).toList();
    List<BenchRun> measured = own.stream().map(PaperRun::run).toList();
    ObjectNode summary = (ObjectNode) new BenchReport(measured, settings).json().get("summary");
    summary.put("input_mb", job.inputMb(scale));
    for (Contender contender : Contender.values()) {
      if (summary.get(contender.toString()) instanceof ObjectNode medians) {
        medians.put("intermediate_mb", median(own, contender, PaperRun::intermediateMb));
        medians.put("reduce_tasks", median(own, contender, PaperRun::reduceTasks));
      }
    }
    return summary;
  }

  private static double median(
      List<PaperRun> runs, Contender contender, ToDoubleFunction<PaperRun> figure) {
    return Medians.median(
        runs.stream()
            .filter(run -> run.run().shuffle().equals(contender.toString()))
            .mapToDouble(figure));
  }

  /** A line per job, in the paper's order, and a line with the runs that were not valid, if any. */
  String table() {
    TextTable table = new TextTable(HEADINGS);
    JsonNode summary = json().path("summary");
    for (PaperJob job : PaperJob.values()) {
      if (summary.has(job.title())) {
        table.add(cells(job, summary.path(job.title())));
      }
    }
    long wrong = runs.stream().filter(run -> !run.run().valid()).count();
    return table.render() + (wrong == 0 ? "" : Report.text("INVALID runs: %d%n", wrong));
  }

  private Object[] cells(PaperJob job, JsonNode summary) {
    JsonNode stock = summary.path(Contender.STOCK.toString());
    JsonNode sailfish = summary.path(Contender.SAILFISH.toString());
    JsonNode ratio = summary.path(RATIO);
    return new Object[] {
      job.title(),
      job.characteristics(),
      job.operators(),
      job.inputMb(scale),
      cell(stock, "intermediate_mb", 1),
      cell(sailfish, "intermediate_mb", 1),
      job.maps(),
      cell(stock, "reduce_tasks", 0),
      cell(sailfish, "reduce_tasks", 0),
      cell(stock, "wall_s", 1),
      cell(sailfish, "wall_s", 1),
      cell(ratio, "wall_s", 2),
      cell(ratio, "cpu_s", 2),
      Report.text("%.2f", job.paperRatio())
    };
  }

  private static String cell(JsonNode figures, String name, int decimals) {
    JsonNode figure = figures.path(name);
    return figure.isNumber() ? Report.text("%." + decimals + "f", figure.asDouble()) : "-";
  }
}
