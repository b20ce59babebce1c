package dev.sailfish.web.job;

import dev.sailfish.web.report.AmReport;
import java.util.List;

/**
 * The reduce work of a job.
 *
 * @param mode as in {@link JobRow}
 * @param why it is so, a sentence or empty
 * @param targetBytes and {@code targetReason}: null where there is no plan
 * @param heardMs when a source told of the job last, in milliseconds since 1970
 * @param worksLeftOut further works of which nothing is known
 */
public record PlanView(
    String mode,
    String why,
    Long targetBytes,
    String targetReason,
    int partitions,
    List<AmReport.Refused> refusals,
    List<AmReport.HeavyKey> heavyKeys,
    List<Work> works,
    long worksLeftOut,
    Long heardMs) {

  /**
   * A reduce work, planned and as it was; what is not known is null.
   *
   * @param first partition of it; {@code last} likewise, inclusive
   * @param range which piece of its partition, from 0
   * @param from first key, in printable form; null: from the beginning
   * @param to exclusive; null: to the end
   * @param mostBytes a bound
   * @param actualBytes of records with their headers, as {@code plannedBytes} are, but with two
   *     bytes for each header; null also where the task did not read all of it, or has no plan
   * @param fetchedBytes that came from servers: compressed, with the headers of blocks, so that a
   *     tiny work has more than it was planned with
   * @param state {@code WAITING}, {@code RUNNING}, {@code DONE} or {@code FAILED}
   */
  public record Work(
      int work,
      int first,
      int last,
      int range,
      String from,
      String to,
      Long plannedBytes,
      Long mostBytes,
      Long plannedRecords,
      Long actualBytes,
      Long fetchedBytes,
      Long actualRecords,
      Long elapsedMs,
      String state) {}
}
