package dev.sailfish.benchmarks.jobs.qfs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Medians of the runs, and how many times as fast each contender was as QFS's own tool.
 *
 * @param mb 10^6 bytes of the file
 * @param copies of each chunk
 */
record QfsReport(List<QfsRun> runs, int mb, int copies) {
  static final String TOOLS = "tools";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final double THOUSANDTHS = 1_000;

  QfsReport {
    runs = List.copyOf(runs);
  }

  private Set<String> distinct(Function<QfsRun, String> part) {
    Set<String> all = new LinkedHashSet<>();
    runs.forEach(run -> all.add(part.apply(run)));
    return all;
  }

  /** NaN without runs. */
  private double median(String contender, String work, ToDoubleFunction<QfsRun> figure) {
    double[] sorted =
        runs.stream()
            .filter(run -> run.contender().equals(contender) && run.work().equals(work))
            .mapToDouble(figure)
            .sorted()
            .toArray();
    int half = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return rounded(sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
  }

  private static double rounded(double value) {
    return Double.isNaN(value) ? value : Math.round(value * THOUSANDTHS) / THOUSANDTHS;
  }

  private double ratio(String contender, String work) {
    return rounded(median(contender, work, QfsRun::mbS) / median(TOOLS, work, QfsRun::mbS));
  }

  ObjectNode json() {
    ObjectNode json = JSON.createObjectNode();
    json.put("mb", mb);
    json.put("copies", copies);
    json.set("runs", JSON.valueToTree(runs));
    ObjectNode summary = json.putObject("summary");
    for (String work : distinct(QfsRun::work)) {
      ObjectNode one = summary.putObject(work);
      for (String contender : distinct(QfsRun::contender)) {
        ObjectNode figures = one.putObject(contender);
        figures.put("seconds", median(contender, work, QfsRun::seconds));
        figures.put("mb_s", median(contender, work, QfsRun::mbS));
        figures.put("cpu_s", median(contender, work, QfsRun::cpuS));
        if (distinct(QfsRun::contender).contains(TOOLS)) {
          figures.put("speed_to_tools", ratio(contender, work));
        }
      }
    }
    return json;
  }

  String table() {
    StringBuilder table =
        new StringBuilder(
            line("%-6s%-10s%10s%10s%10s%12s", "work", "who", "s", "MB/s", "CPU s", "to tools"));
    for (String work : distinct(QfsRun::work)) {
      for (String contender : distinct(QfsRun::contender)) {
        table.append(
            line(
                "%-6s%-10s%10.3f%10.1f%10.3f%12.3f",
                work,
                contender,
                median(contender, work, QfsRun::seconds),
                median(contender, work, QfsRun::mbS),
                median(contender, work, QfsRun::cpuS),
                ratio(contender, work)));
      }
    }
    return table + line("Medians; %d MB, %d copies of each chunk.", mb, copies);
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format + "%n", values);
  }
}
