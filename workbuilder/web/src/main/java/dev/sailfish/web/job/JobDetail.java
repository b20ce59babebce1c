package dev.sailfish.web.job;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.SourceView;
import java.util.List;

/**
 * A job with all that is known of it but its I-files and plan. Times are milliseconds since 1970.
 *
 * @param row its fields are fields of this
 * @param previous the last run of a job with the same name and user that succeeded, or null
 */
public record JobDetail(
    @JsonUnwrapped JobRow row,
    List<Phase> phases,
    List<Point> series,
    List<CounterRow> counters,
    Cost cost,
    Previous previous,
    List<AmReport.HeavyKey> heavyKeys,
    List<AmReport.Event> events,
    long eventsLeftOut,
    List<Straggler> stragglers,
    Links links,
    List<SourceView> sources) {

  /**
   * A part of the job's time; phases may overlap.
   *
   * @param toMs null: it is now
   */
  public record Phase(String name, long fromMs, Long toMs) {}

  /** How far the job was at one moment. */
  public record Point(
      long ms,
      int mapsDone,
      long appendedBytes,
      long sortedBytes,
      long reducedBytes,
      int reducesDone) {}

  /**
   * A counter.
   *
   * @param stock name of the counter of stock that says the same, or null
   */
  public record CounterRow(
      String group, String name, String stock, long map, long reduce, long total) {}

  /**
   * What the job cost; null: not known.
   *
   * @param taskCpuMs CPU of its tasks
   * @param sortCpuMs CPU of chunkservers for the sorts of its chunks, measured for each chunk. What
   *     servers take to receive and to serve bytes is done for many jobs at once, and is in no
   *     job's cost
   */
  public record Cost(Long taskCpuMs, Long sortCpuMs, Long wallMs) {}

  /** An earlier run. */
  public record Previous(
      String id,
      Long wallMs,
      Long taskCpuMs,
      Long sortCpuMs,
      Long appendedBytes,
      Long finishedMs) {}

  /**
   * A task that takes far longer than others of its kind.
   *
   * @param type {@code map} or {@code reduce}
   * @param attempt its number, or null
   * @param host or null
   * @param medianMs of tasks that have succeeded
   * @param bytes of its work, or null
   * @param why a sentence
   */
  public record Straggler(
      String task,
      String type,
      Integer attempt,
      String host,
      long elapsedMs,
      long medianMs,
      Long bytes,
      String why) {}

  /** Pages of others about the job; null: there is none. */
  public record Links(String yarn, String history) {}
}
