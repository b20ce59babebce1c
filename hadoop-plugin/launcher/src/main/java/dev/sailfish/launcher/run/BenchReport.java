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
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** The runs of a bench as JSON and as a table. */
public final class BenchReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final Map<String, ToDoubleFunction<BenchRun>> FIGURES = figures();

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
  public BenchReport(List<BenchRun> runs, Map<String, String> settings) {
    this.runs = List.copyOf(runs);
    this.settings = Map.copyOf(settings);
    boolean any = runs.stream().anyMatch(run -> run.mb() > 0);
    main = runs.stream().filter(run -> !any || run.mb() > 0).toList();
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
   * {@code {"settings": {...}, "runs": [...], "summary": {...}}}: in the summary, medians of the
   * valid runs per contender, and with both contenders {@code ratio}, which is Sailfish's median
   * divided by stock's.
   */
  public String json() {
    ObjectNode root = JSON.createObjectNode();
    if (!settings.isEmpty()) {
      root.set("settings", JSON.valueToTree(new TreeMap<>(settings)));
    }
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
    addAboveNull(summary);
    return root.toPrettyString() + "\n";
  }

  private void addAboveNull(ObjectNode summary) {
    if (main.size() == runs.size()) {
      return;
    }
    ObjectNode above = summary.putObject("above_null_cpu_s");
    for (Shuffle shuffle : Shuffle.values()) {
      above.put(shuffle.label(), Math.round(aboveNull(shuffle) * 100) / 100.0);
    }
    if (summary.has("ratio")) {
      double quotient = aboveNull(Shuffle.SAILFISH) / aboveNull(Shuffle.STOCK);
      above.put("ratio", Math.round(quotient * 1_000) / 1_000.0);
    }
  }

  /**
   * Median over the rounds of a run's CPU seconds less those of the null job that ran right before
   * it: a machine that drifts is then the same for both. NaN when no round has two valid runs.
   */
  private double aboveNull(Shuffle shuffle) {
    double[] differences =
        validRuns(shuffle).stream()
            .flatMapToDouble(
                run ->
                    runs.stream()
                        .filter(other -> other.mb() == 0 && other.valid())
                        .filter(other -> other.shuffle().equals(run.shuffle()))
                        .filter(other -> other.round() == run.round())
                        .mapToDouble(other -> run.cpuSeconds() - other.cpuSeconds()))
            .sorted()
            .toArray();
    return middle(differences);
  }

  private static double middle(double[] sorted) {
    int half = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
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
            "MB",
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
          Integer.toString(run.mb()),
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
            "",
            seconds(median(own, BenchRun::wallSeconds)),
            seconds(median(own, BenchRun::mapSeconds)),
            seconds(median(own, BenchRun::reduceSeconds)),
            seconds(median(own, BenchRun::cpuSeconds)),
            seconds(median(own, run -> run.spilledBytes() / 1e6)),
            "",
            "");
      }
    }
    return table.render() + ratioLine() + aboveNullLine();
  }

  private String aboveNullLine() {
    if (main.size() == runs.size()) {
      return "";
    }
    double stock = aboveNull(Shuffle.STOCK);
    double sailfish = aboveNull(Shuffle.SAILFISH);
    return String.format(
        Locale.ROOT,
        "CPU s above the null job: stock %.1f, sailfish %.1f, ratio %.2f%n",
        stock,
        sailfish,
        sailfish / stock);
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
    return main.stream()
        .filter(run -> run.valid() && run.shuffle().equals(shuffle.label()))
        .toList();
  }

  static double median(List<BenchRun> runs, ToDoubleFunction<BenchRun> figure) {
    return middle(runs.stream().mapToDouble(figure).sorted().toArray());
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
