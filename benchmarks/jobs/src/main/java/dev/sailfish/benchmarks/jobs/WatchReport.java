package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.watch.WatchRun;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What watching a job costs: differences within rounds, and their medians over these.
 *
 * @param clients how many listened
 */
record WatchReport(List<WatchRun> runs, int clients) {
  /** Percent of a core that clients may cost the ApplicationMaster and the metaserver together. */
  static final double LIMIT_PERCENT = 2;

  private static final String NOBODY = "0";
  private static final String SUM = "am_and_metaserver_percent";
  private static final String ABOVE_NOBODY = "clients_above_nobody";
  private static final String ABOVE_NO_WEB = "clients_above_no_web";

  WatchReport {
    runs = List.copyOf(runs);
  }

  private Stream<WatchRun> valid(String watchers) {
    return runs.stream().filter(run -> run.valid() && run.watchers().equals(watchers));
  }

  private Optional<WatchRun> run(String watchers, int round) {
    return valid(watchers).filter(run -> run.round() == round).findFirst();
  }

  /** NaN without a round in which both are valid. */
  private double more(String watchers, String others, ToDoubleFunction<WatchRun> figure) {
    return rounded(
        Medians.median(
            valid(watchers)
                .flatMap(
                    own ->
                        run(others, own.round()).stream()
                            .map(other -> figure.applyAsDouble(own) - figure.applyAsDouble(other)))
                .mapToDouble(Double::doubleValue)));
  }

  private double median(String watchers, ToDoubleFunction<WatchRun> figure) {
    return rounded(Medians.median(valid(watchers).mapToDouble(figure)));
  }

  private static double rounded(double value) {
    return Medians.rounded(value, 100);
  }

  /** One of all figures after the other, as they are or as differences. */
  private static ObjectNode figures(ToDoubleFunction<ToDoubleFunction<WatchRun>> value) {
    ObjectNode figures = Report.JSON.createObjectNode();
    figures.put("am_percent", value.applyAsDouble(WatchRun::masterPercent));
    figures.put("metaserver_percent", value.applyAsDouble(WatchRun::metaserverPercent));
    figures.put(SUM, value.applyAsDouble(WatchRun::watchedPercent));
    figures.put("rm_percent", value.applyAsDouble(WatchRun::resourceManagerPercent));
    figures.put("web_percent", value.applyAsDouble(WatchRun::webPercent));
    return figures;
  }

  ObjectNode json() {
    String listening = Integer.toString(clients);
    ObjectNode json = Report.JSON.createObjectNode();
    json.put("clients", clients);
    json.set("runs", Report.rows(runs));
    ObjectNode summary = json.putObject("summary");
    for (String watchers : List.of(WatchRun.NO_WEB, NOBODY, listening)) {
      summary.set(watchers, figures(figure -> median(watchers, figure)));
    }
    ObjectNode cost = figures(figure -> more(listening, NOBODY, figure));
    summary.set(ABOVE_NOBODY, cost);
    summary.set(ABOVE_NO_WEB, figures(figure -> more(listening, WatchRun.NO_WEB, figure)));
    summary.put("limit_percent", LIMIT_PERCENT);
    summary.put("within_limit", cost.path(SUM).asDouble() < LIMIT_PERCENT);
    summary.put("largest_web_rss_mb", largest(WatchRun::webRssMb));
    summary.put("largest_web_heap_mb", largest(WatchRun::webHeapMb));
    summary.put("least_events", valid(listening).mapToInt(WatchRun::leastEvents).min().orElse(0));
    return json;
  }

  private double largest(ToDoubleFunction<WatchRun> figure) {
    return runs.stream().filter(WatchRun::hasWeb).mapToDouble(figure).max().orElse(Double.NaN);
  }

  String table() {
    ObjectNode summary = (ObjectNode) json().path("summary");
    return Report.table(runs, WatchRun.COLUMNS).render()
        + Report.text(
            "%d clients cost ApplicationMaster and metaserver %.2f %% of a core above a web process"
                + " without clients (limit %.0f), %.2f above none. The web process had at most"
                + " %.0f MiB.%n",
            clients,
            summary.path(ABOVE_NOBODY).path(SUM).asDouble(),
            LIMIT_PERCENT,
            summary.path(ABOVE_NO_WEB).path(SUM).asDouble(),
            summary.path("largest_web_rss_mb").asDouble());
  }
}
