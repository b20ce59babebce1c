package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Medians of storage runs, and their ratios to those of the first contender.
 *
 * @param contenders in the order of the report; the first one is what others are compared with
 * @param inFlight requests of each thread of the store's own client
 * @param masters of the lineage store
 */
record StoreReport(List<StoreRun> runs, List<String> contenders, int inFlight, int masters) {
  StoreReport {
    runs = List.copyOf(runs);
    contenders = List.copyOf(contenders);
  }

  private Set<String> keys() {
    Set<String> keys = new LinkedHashSet<>();
    runs.forEach(run -> keys.add(run.key()));
    return keys;
  }

  /** NaN without valid runs. */
  private double median(String key, String contender) {
    return Medians.median(
        runs.stream()
            .filter(run -> run.key().equals(key) && run.contender().equals(contender))
            .filter(StoreRun::valid)
            .mapToDouble(StoreRun::figure));
  }

  private boolean took(String key, String contender) {
    return runs.stream()
        .anyMatch(run -> run.key().equals(key) && run.contender().equals(contender));
  }

  ObjectNode json() {
    ObjectNode summary = Report.JSON.createObjectNode();
    for (String key : keys()) {
      ObjectNode line = summary.putObject(key);
      double base = median(key, contenders.get(0));
      for (String contender : contenders) {
        if (took(key, contender)) {
          double median = median(key, contender);
          line.put(contender, median);
          line.put(contender + "_ratio", Medians.rounded(median / base, 1_000));
        }
      }
    }
    ObjectNode json = Report.JSON.createObjectNode();
    json.put("in_flight", inFlight);
    json.put("masters", masters);
    json.set("runs", Report.rows(runs));
    json.set("summary", summary);
    return json;
  }

  String table() {
    StringBuilder table =
        new StringBuilder(
            Report.text(
                "%-18s%8s%12s%14s%8s%n", "work", "threads", "contender", "median", "ratio"));
    for (String key : keys()) {
      double base = median(key, contenders.get(0));
      for (String contender : contenders) {
        if (took(key, contender)) {
          double median = median(key, contender);
          table.append(
              Report.text(
                  "%-18s%8s%12s%14.1f%8.3f%n",
                  key.split(" ")[0], key.split(" ")[1], contender, median, median / base));
        }
      }
    }
    return table
        + "MB/s of write, read, read-mapped and objects; else files a second, "
        + inFlight
        + " on their way in each thread of the store's client.\n";
  }
}
