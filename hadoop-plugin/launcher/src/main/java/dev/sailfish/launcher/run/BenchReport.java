package dev.sailfish.launcher.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.launcher.LauncherException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The runs of a bench as JSON and as a table. */
public final class BenchReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final Map<String, ToDoubleFunction<BenchRun>> FIGURES = figures();

  private final List<BenchRun> runs;

  /** Reports on these runs. */
  public BenchReport(List<BenchRun> runs) {
    this.runs = List.copyOf(runs);
  }

  private static Map<String, ToDoubleFunction<BenchRun>> figures() {
    Map<String, ToDoubleFunction<BenchRun>> figures = new LinkedHashMap<>();
    figures.put("wall_s", BenchRun::wallSeconds);
    figures.put("map_s", BenchRun::mapSeconds);
    figures.put("reduce_s", BenchRun::reduceSeconds);
    figures.put("cpu_s", BenchRun::cpuSeconds);
    return figures;
  }

  /** Whether every run was valid, and there was one. */
  public boolean allValid() {
    return !runs.isEmpty() && runs.stream().allMatch(BenchRun::valid);
  }

  /**
   * {@code {"runs": [...], "summary": {...}}}: in the summary, medians of the valid runs per
   * contender, and with both contenders {@code ratio}, which is Sailfish's median divided by
   * stock's.
   */
  public String json() {
    ObjectNode root = JSON.createObjectNode();
    root.set("runs", JSON.valueToTree(runs));
    ObjectNode summary = root.putObject("summary");
    for (Shuffle shuffle : Shuffle.values()) {
      List<BenchRun> own = validRuns(shuffle);
      if (!own.isEmpty()) {
        ObjectNode medians = summary.putObject(shuffle.label()).put("valid_runs", own.size());
        FIGURES.forEach((name, figure) -> medians.put(name, median(own, figure)));
      }
    }
    if (summary.size() == Shuffle.values().length) {
      ObjectNode ratio = summary.putObject("ratio");
      FIGURES.forEach((name, figure) -> ratio.put(name, ratio(figure)));
    }
    return root.toPrettyString() + "\n";
  }

  /** Writes {@link #json()} to a file. */
  public void writeJson(Path file) {
    try {
      Files.writeString(file, json());
    } catch (IOException e) {
      throw new LauncherException("Cannot write the report to " + file + ": " + e.getMessage(), e);
    }
  }

  /** A line per run, then a line of medians per contender. */
  public String table() {
    TextTable table =
        new TextTable(
            "shuffle",
            "round",
            "wall s",
            "map s",
            "reduce s",
            "CPU s",
            "spilled MB",
            "records",
            "valid");
    for (BenchRun run : runs) {
      table.add(
          run.shuffle(),
          Integer.toString(run.round()),
          seconds(run.wallSeconds()),
          seconds(run.mapSeconds()),
          seconds(run.reduceSeconds()),
          seconds(run.cpuSeconds()),
          seconds(run.spilledBytes() / 1e6),
          Long.toString(run.records()),
          run.valid() ? "yes" : "NO");
    }
    for (Shuffle shuffle : Shuffle.values()) {
      List<BenchRun> own = validRuns(shuffle);
      if (own.size() > 1) {
        table.add(
            shuffle.label(),
            "median",
            seconds(median(own, BenchRun::wallSeconds)),
            seconds(median(own, BenchRun::mapSeconds)),
            seconds(median(own, BenchRun::reduceSeconds)),
            seconds(median(own, BenchRun::cpuSeconds)),
            seconds(median(own, run -> run.spilledBytes() / 1e6)),
            "",
            "");
      }
    }
    return table.render() + ratioLine();
  }

  private String ratioLine() {
    boolean both = !validRuns(Shuffle.STOCK).isEmpty() && !validRuns(Shuffle.SAILFISH).isEmpty();
    return both
        ? String.format(
            Locale.ROOT,
            "sailfish / stock: wall %.2f, CPU %.2f%n",
            ratio(BenchRun::wallSeconds),
            ratio(BenchRun::cpuSeconds))
        : "";
  }

  private double ratio(ToDoubleFunction<BenchRun> figure) {
    double quotient =
        median(validRuns(Shuffle.SAILFISH), figure) / median(validRuns(Shuffle.STOCK), figure);
    return Math.round(quotient * 1_000) / 1_000.0;
  }

  private List<BenchRun> validRuns(Shuffle shuffle) {
    return runs.stream()
        .filter(run -> run.valid() && run.shuffle().equals(shuffle.label()))
        .toList();
  }

  static double median(List<BenchRun> runs, ToDoubleFunction<BenchRun> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
