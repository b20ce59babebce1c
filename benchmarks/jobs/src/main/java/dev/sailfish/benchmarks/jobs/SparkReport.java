package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.cli.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Medians of applications of Spark, and whether they bear out the rules of thumb for a store in
 * memory: those of Gershinsky's article on Alluxio below Spark, and §7.7 of the lineage store's
 * paper.
 *
 * @param memoryMb of the store
 */
record SparkReport(List<SparkRun> runs, int memoryMb) {
  /** Rival's seconds by the store's from which on there is a gain; below, there is none. */
  static final double GAIN = 1.1;

  private static final String LINES = "lines";
  private static final String WORDS = "words";

  SparkReport {
    runs = List.copyOf(runs);
  }

  private Stream<SparkRun> valid(String key, String contender) {
    return runs.stream()
        .filter(run -> run.key().equals(key) && run.contender().equals(contender))
        .filter(SparkRun::valid);
  }

  private Set<String> contenders(String key) {
    Set<String> contenders = new LinkedHashSet<>();
    runs.stream()
        .filter(run -> run.key().equals(key))
        .forEach(run -> contenders.add(run.contender()));
    return contenders;
  }

  /** Null when no run has the figure. */
  private Double median(String key, String contender, Function<SparkRun, Double> figure) {
    double median =
        Medians.median(
            valid(key, contender)
                .map(figure)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue));
    return Double.isNaN(median) ? null : median;
  }

  /** NaN when one of them has no valid run. */
  private double ratio(String key, String rival, String own) {
    Double dividend = median(key, rival, SparkRun::seconds);
    Double divisor = median(key, own, SparkRun::seconds);
    return dividend == null || divisor == null ? Double.NaN : dividend / divisor;
  }

  /** What the rules say of these runs; of runs that are not there or not valid, nothing. */
  List<SparkVerdict> verdicts() {
    List<SparkVerdict> verdicts = new ArrayList<>();
    Set<Integer> sizes = new TreeSet<>();
    Set<String> keys = new LinkedHashSet<>();
    for (SparkRun run : runs) {
      if (keys.add(run.key()) && run.experiment().equals("levels")) {
        verdicts.add(level(run));
      }
      if (run.experiment().equals("caches")) {
        sizes.add(run.mb());
      }
    }
    verdicts.addAll(smallFiles());
    runs.stream()
        .filter(run -> run.experiment().equals("caches"))
        .filter(run -> run.contender().equals(SparkBench.LINEAGE))
        .map(SparkRun::key)
        .distinct()
        .forEach(key -> verdicts.add(cache(key, isSmallest(key, sizes))));
    verdicts.removeIf(verdict -> Double.isNaN(verdict.ratio()));
    return verdicts;
  }

  private boolean isSmallest(String key, Set<Integer> sizes) {
    return sizes.size() > 1
        && runs.stream()
            .filter(run -> run.key().equals(key))
            .allMatch(run -> run.mb() == sizes.iterator().next());
  }

  private SparkVerdict level(SparkRun run) {
    double gain = ratio(run.key(), SparkBench.SECOND, SparkBench.STORE);
    if (run.work().equals(WORDS)) {
      return SparkVerdict.of("heavy jobs do not gain", run.key(), gain, gain < GAIN);
    }
    String rule = run.mb() <= memoryMb ? "light jobs gain" : "up to twice the memory gains, too";
    return SparkVerdict.of(rule, run.key(), gain, gain >= GAIN);
  }

  /** The smallest files beside the largest, for texts of about the same size. */
  private List<SparkVerdict> smallFiles() {
    List<SparkRun> lines =
        runs.stream()
            .filter(run -> run.experiment().equals("levels") && run.work().equals(LINES))
            .toList();
    int smallest = lines.stream().mapToInt(SparkRun::objectMb).min().orElse(0);
    int largest = lines.stream().mapToInt(SparkRun::objectMb).max().orElse(0);
    List<SparkVerdict> verdicts = new ArrayList<>();
    if (smallest < largest) {
      double ratio = meanGain(lines, smallest) / meanGain(lines, largest);
      String what = "lines, files of %d MB and of %d MB".formatted(smallest, largest);
      verdicts.add(SparkVerdict.of("small files gain more", what, ratio, ratio >= GAIN));
    }
    return verdicts;
  }

  private double meanGain(List<SparkRun> lines, int objectMb) {
    return lines.stream()
        .filter(run -> run.objectMb() == objectMb)
        .map(SparkRun::key)
        .distinct()
        .mapToDouble(key -> ratio(key, SparkBench.SECOND, SparkBench.STORE))
        .average()
        .orElse(Double.NaN);
  }

  /** Beside the best of Spark's caches in its heap. */
  private SparkVerdict cache(String key, boolean smallest) {
    double best =
        contenders(key).stream()
            .filter(contender -> contender.startsWith("MEMORY_"))
            .flatMapToDouble(
                contender -> DoubleStream.of(ratio(key, contender, SparkBench.LINEAGE)))
            .min()
            .orElse(Double.NaN);
    return smallest
        ? SparkVerdict.of("little data: no slower than Spark's", key, best, best >= 1 / GAIN)
        : SparkVerdict.of("more data: faster than Spark's", key, best, best >= GAIN);
  }

  /** Runs, medians and verdicts. */
  ObjectNode json() {
    ObjectNode json = Report.JSON.createObjectNode();
    json.set("runs", Report.rows(runs));
    ObjectNode summary = json.putObject("summary");
    for (SparkRun run : runs) {
      if (!summary.has(run.key())) {
        ObjectNode line = summary.putObject(run.key());
        contenders(run.key()).forEach(who -> line.set(who, medians(run.key(), who)));
      }
    }
    json.set("verdicts", Report.rows(verdicts()));
    return json;
  }

  private ObjectNode medians(String key, String contender) {
    ObjectNode medians = Report.JSON.createObjectNode();
    medians.put("valid_runs", valid(key, contender).count());
    medians.put("fill_s", median(key, contender, SparkRun::fillS));
    medians.put("seconds", median(key, contender, SparkRun::seconds));
    medians.put("mb_s", median(key, contender, SparkRun::mbS));
    medians.put("gc_s", median(key, contender, SparkRun::gcS));
    return medians;
  }

  /** A line for each contender, and one for each verdict. */
  String table() {
    TextTable table = new TextTable("what|contender|fill s|job s|MB/s|gc s");
    Set<String> keys = new LinkedHashSet<>();
    runs.forEach(run -> keys.add(run.key()));
    for (String key : keys) {
      for (String contender : contenders(key)) {
        Object[] figures =
            Report.cells(medians(key, contender), "fill_s", "seconds", "mb_s", "gc_s");
        table.add(key, contender, figures[0], figures[1], figures[2], figures[3]);
      }
    }
    TextTable verdicts = new TextTable("rule of thumb|what|ratio|verdict");
    for (SparkVerdict verdict : verdicts()) {
      String ratio = Report.text("%.2f", verdict.ratio());
      verdicts.add(verdict.rule(), verdict.what(), ratio, verdict.verdict());
    }
    return table.render() + "\n" + verdicts.render();
  }
}
