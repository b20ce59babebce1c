package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import java.util.ArrayList;
import java.util.List;

/**
 * A storage mountain: throughput by size of the data and of the skip.
 *
 * @param storages in the order of the report
 * @param dataMb from the smallest on
 * @param skipKb from the smallest on
 * @param runs valid ones only
 * @param failures what was not valid, a line each
 */
record MountainReport(
    List<String> storages,
    List<Integer> dataMb,
    List<Integer> skipKb,
    List<MountainRun> runs,
    List<String> failures) {
  private static final int KB_PER_MB = 1024;

  MountainReport {
    storages = List.copyOf(storages);
    dataMb = List.copyOf(dataMb);
    skipKb = List.copyOf(skipKb);
    runs = List.copyOf(runs);
    failures = List.copyOf(failures);
  }

  /** NaN where the skip is more than half of the data, and where nothing was valid. */
  private double median(String storage, int data, int skip) {
    return Medians.median(
        runs.stream()
            .filter(run -> run.storage().equals(storage))
            .filter(run -> run.dataMb() == data && run.skipKb() == skip)
            .mapToDouble(MountainRun::mbS));
  }

  /** A figure of each storage: a line of each skip, over the size of the data. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    for (String storage : storages) {
      List<Series> series = new ArrayList<>();
      for (int skip : skipKb) {
        series.add(
            new Series(
                "skip " + size(skip),
                dataMb.stream().map(data -> median(storage, data, skip)).toList()));
      }
      figures.add(
          new Figure(
              "storage-mountain-" + storage.replaceAll("[^\\w.]+", "-").replaceAll("^-|-$", ""),
              "Storage mountain of " + storage,
              "data",
              "MB/s",
              Kind.LINES,
              dataMb.stream().map(data -> size(data * KB_PER_MB)).toList(),
              series));
    }
    return figures;
  }

  private static String size(int kb) {
    return kb > 0 && kb % KB_PER_MB == 0 ? kb / KB_PER_MB + " MiB" : kb + " KiB";
  }

  ObjectNode json() {
    ObjectNode json = Report.JSON.createObjectNode();
    json.set("runs", Report.rows(runs));
    ArrayNode summary = json.putArray("summary");
    for (String storage : storages) {
      for (int data : dataMb) {
        skipKb.forEach(skip -> addMedian(summary, storage, data, skip));
      }
    }
    ArrayNode failed = json.putArray("failures");
    failures.forEach(failed::add);
    return json;
  }

  private void addMedian(ArrayNode summary, String storage, int data, int skip) {
    double median = median(storage, data, skip);
    if (!Double.isNaN(median)) {
      summary
          .addObject()
          .put("storage", storage)
          .put("data_mb", data)
          .put("skip_kb", skip)
          .put("mb_s", median);
    }
  }

  String table() {
    StringBuilder table = new StringBuilder();
    for (String storage : storages) {
      table.append(Report.text("%s, MB/s; a column for each skip%n%10s", storage, "data"));
      skipKb.forEach(skip -> table.append(Report.text("%10s", size(skip))));
      table.append('\n');
      for (int data : dataMb) {
        table.append(Report.text("%10s", size(data * KB_PER_MB)));
        for (int skip : skipKb) {
          double median = median(storage, data, skip);
          table.append(Double.isNaN(median) ? "         -" : Report.text("%10.0f", median));
        }
        table.append('\n');
      }
    }
    failures.forEach(failure -> table.append(failure).append('\n'));
    return table.toString();
  }
}
