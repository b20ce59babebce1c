package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.cli.TextTable;
import dev.sailfish.localcluster.CommandException;
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

  /** What Sailfish is compared with, by the name of the ratio. */
  private static final Map<String, Contender> RATIOS = ratios();

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

  private static Map<String, Contender> ratios() {
    Map<String, Contender> ratios = new LinkedHashMap<>();
    ratios.put("ratio", Contender.STOCK);
    ratios.put("ratio_tuned", Contender.STOCK_TUNED);
    return ratios;
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
   * valid runs per contender; {@code ratio}, which is Sailfish's median divided by stock's, and
   * {@code ratio_tuned}, by that of tuned stock, where both ran; and what is above the null job, of
   * all CPU seconds and of those that tasks and Sailfish's daemons count themselves.
   */
  public String json() {
    ObjectNode root = JSON.createObjectNode();
    if (!settings.isEmpty()) {
      root.set("settings", JSON.valueToTree(new TreeMap<>(settings)));
    }
    root.set("runs", JSON.valueToTree(runs));
    ObjectNode summary = root.putObject("summary");
    for (Contender contender : Contender.values()) {
      List<BenchRun> own = validRuns(contender);
      if (!own.isEmpty()) {
        ObjectNode medians = summary.putObject(contender.label()).put("valid_runs", own.size());
        FIGURES.forEach((name, figure) -> medians.put(name, median(own, figure)));
      }
    }
    RATIOS.forEach(
        (name, rival) -> {
          if (bothRan(rival)) {
            ObjectNode ratio = summary.putObject(name);
            FIGURES.forEach((figure, value) -> ratio.put(figure, ratio(rival, value)));
          }
        });
    if (main.size() < runs.size()) {
      addAboveNull(summary.putObject("above_null_cpu_s"), BenchRun::cpuSeconds);
      addAboveNull(summary.putObject("counted_above_null_cpu_s"), BenchRun::countedCpuSeconds);
    }
    return root.toPrettyString() + "\n";
  }

  private boolean bothRan(Contender rival) {
    return !validRuns(rival).isEmpty() && !validRuns(Contender.SAILFISH).isEmpty();
  }

  private void addAboveNull(ObjectNode above, ToDoubleFunction<BenchRun> figure) {
    for (Contender contender : Contender.values()) {
      if (!validRuns(contender).isEmpty()) {
        above.put(contender.label(), rounded(aboveNull(contender, figure), 100));
      }
    }
    RATIOS.forEach(
        (name, rival) -> {
          if (bothRan(rival)) {
            double quotient = aboveNull(Contender.SAILFISH, figure) / aboveNull(rival, figure);
            above.put(name, rounded(quotient, 1_000));
          }
        });
  }

  /** NaN stays what it is. */
  private static double rounded(double value, double parts) {
    return Double.isNaN(value) ? value : Math.round(value * parts) / parts;
  }

  /**
   * Median over the rounds of a run's CPU seconds less those of the null job that ran right before
   * it: a machine that drifts is then the same for both. NaN when no round has two valid runs.
   */
  private double aboveNull(Contender contender, ToDoubleFunction<BenchRun> figure) {
    double[] differences =
        validRuns(contender).stream()
            .flatMapToDouble(
                run ->
                    runs.stream()
                        .filter(other -> other.mb() == 0 && other.valid())
                        .filter(other -> other.shuffle().equals(run.shuffle()))
                        .filter(other -> other.round() == run.round())
                        .mapToDouble(
                            other -> figure.applyAsDouble(run) - figure.applyAsDouble(other)))
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
      throw new CommandException("Cannot write the report to " + file + ": " + e.getMessage(), e);
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
    for (Contender contender : Contender.values()) {
      List<BenchRun> own = validRuns(contender);
      if (own.size() > 1) {
        table.add(
            contender.label(),
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
    StringBuilder lines = new StringBuilder(table.render());
    RATIOS.values().forEach(rival -> lines.append(ratioLine(rival)));
    if (main.size() < runs.size()) {
      lines.append(aboveNullLine("", BenchRun::cpuSeconds));
      lines.append(aboveNullLine("counted ", BenchRun::countedCpuSeconds));
    }
    return lines.toString();
  }

  private String aboveNullLine(String which, ToDoubleFunction<BenchRun> figure) {
    StringBuilder line = new StringBuilder("CPU s " + which + "above the null job:");
    String comma = " ";
    for (Contender contender : Contender.values()) {
      if (!validRuns(contender).isEmpty()) {
        double above = aboveNull(contender, figure);
        line.append(comma).append(contender).append(' ').append(seconds(above));
        comma = ", ";
      }
    }
    for (Contender rival : RATIOS.values()) {
      if (bothRan(rival)) {
        double quotient = aboveNull(Contender.SAILFISH, figure) / aboveNull(rival, figure);
        line.append(String.format(Locale.ROOT, ", sailfish / %s %.2f", rival, quotient));
      }
    }
    return line.append('\n').toString();
  }

  private String ratioLine(Contender rival) {
    return bothRan(rival)
        ? String.format(
            Locale.ROOT,
            "sailfish / %s: wall %.2f, CPU %.2f%n",
            rival,
            ratio(rival, BenchRun::wallSeconds),
            ratio(rival, BenchRun::cpuSeconds))
        : "";
  }

  private double ratio(Contender rival, ToDoubleFunction<BenchRun> figure) {
    double quotient =
        median(validRuns(Contender.SAILFISH), figure) / median(validRuns(rival), figure);
    return rounded(quotient, 1_000);
  }

  private List<BenchRun> validRuns(Contender contender) {
    return main.stream()
        .filter(run -> run.valid() && run.shuffle().equals(contender.label()))
        .toList();
  }

  static double median(List<BenchRun> runs, ToDoubleFunction<BenchRun> figure) {
    return middle(runs.stream().mapToDouble(figure).sorted().toArray());
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
