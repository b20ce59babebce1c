package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The figures by which runs are compared: their medians, and ratios of these. */
final class Medians {
  private static final Map<String, ToDoubleFunction<BenchRun>> FIGURES = new LinkedHashMap<>();

  static {
    FIGURES.put("wall_s", BenchRun::wallS);
    FIGURES.put("map_s", BenchRun::mapS);
    FIGURES.put("reduce_s", BenchRun::reduceS);
    FIGURES.put("cpu_s", BenchRun::cpuS);
    FIGURES.put("master_cpu_s", BenchRun::masterCpuS);
  }

  private Medians() {}

  /** The number of runs as {@code valid_runs}, and the median of each figure. */
  static ObjectNode of(List<BenchRun> validRuns) {
    ObjectNode medians = Report.JSON.createObjectNode().put("valid_runs", validRuns.size());
    FIGURES.forEach(
        (name, figure) -> medians.put(name, median(validRuns.stream().mapToDouble(figure))));
    return medians;
  }

  /** Of two numbers, or of all figures of two objects. */
  static JsonNode ratio(JsonNode own, JsonNode rival) {
    if (own.isNumber()) {
      return DoubleNode.valueOf(rounded(own.asDouble() / rival.asDouble(), 1_000));
    }
    ObjectNode ratios = Report.JSON.createObjectNode();
    for (String figure : FIGURES.keySet()) {
      ratios.set(figure, ratio(own.path(figure), rival.path(figure)));
    }
    return ratios;
  }

  /** What reports say of a ratio of figures. */
  static String text(JsonNode ratio) {
    return Report.text(
        "wall %.2f, CPU %.2f, reduce phase %.2f",
        ratio.path("wall_s").asDouble(),
        ratio.path("cpu_s").asDouble(),
        ratio.path("reduce_s").asDouble());
  }

  /** NaN stays what it is. */
  static double rounded(double value, double parts) {
    return Double.isNaN(value) ? value : Math.round(value * parts) / parts;
  }

  /** NaN when there are no values. */
  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int half = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
