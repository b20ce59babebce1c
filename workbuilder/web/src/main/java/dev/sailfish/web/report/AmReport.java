package dev.sailfish.web.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * What an ApplicationMaster says of its job. Of two reports of one attempt the one with the larger
 * sequence counts, of two attempts the later one. Times are milliseconds since 1970.
 *
 * @param version 1
 * @param attempt of the ApplicationMaster, from 1
 * @param mode {@code auto} or {@code fixed}
 * @param why it is in this mode, a sentence
 * @param planningMs when planning began and when it was done; null: it has not, or never does
 * @param plan null: there is none (yet)
 * @param events the oldest first
 * @param eventsLeftOut older events that are not in the report
 * @param ended {@code SUCCEEDED}, {@code FAILED}, {@code KILLED}; null: it has not
 * @param viewAcl who may see the job, as {@code mapreduce.job.acl-view-job}; null: lists do not
 *     count for it, or it does not say
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AmReport(
    int version,
    long sequence,
    String job,
    int attempt,
    String mode,
    String why,
    List<Long> planningMs,
    Plan plan,
    List<Event> events,
    long eventsLeftOut,
    String ended,
    String viewAcl) {
  /** Most events that are taken. */
  public static final int MOST_EVENTS = 1000;

  /** Takes what is missing for nothing. */
  public AmReport {
    events = events == null ? List.of() : List.copyOf(events);
  }

  /**
   * A plan of reduce work.
   *
   * @param targetBytes null: it could not be made of the data
   * @param targetReason where the target came from, a sentence
   * @param worksLeftOut further works that are not in the report
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Plan(
      Long targetBytes,
      String targetReason,
      int partitions,
      List<Refused> refusals,
      List<HeavyKey> heavyKeys,
      List<Work> works,
      long worksLeftOut) {
    /** Takes what is missing for nothing. */
    public Plan {
      refusals = refusals == null ? List.of() : List.copyOf(refusals);
      heavyKeys = heavyKeys == null ? List.of() : List.copyOf(heavyKeys);
      works = works == null ? List.of() : List.copyOf(works);
    }
  }

  /** Why a partition was not split. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Refused(int partition, String reason) {}

  /**
   * A key with more bytes than the target.
   *
   * @param key in printable form
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record HeavyKey(int partition, String key, long bytes) {}

  /**
   * A reduce work.
   *
   * @param first partition of it, and {@code last}, inclusive
   * @param range which piece of its partition, from 0
   * @param from in printable form; null: from the beginning
   * @param to exclusive, likewise; null: to the end
   * @param records and {@code bytes}: expected
   * @param mostBytes a bound
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Work(
      int work,
      int first,
      int last,
      int range,
      String from,
      String to,
      long records,
      long bytes,
      long mostBytes) {}

  /**
   * Something that was decided or lost.
   *
   * @param task that it is about; empty: none
   * @param text a sentence
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Event(long ms, String kind, String task, String text) {}
}
