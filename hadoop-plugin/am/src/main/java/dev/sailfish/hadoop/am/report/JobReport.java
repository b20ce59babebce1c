package dev.sailfish.hadoop.am.report;

import dev.sailfish.workbuilder.plan.ReducePlan;
import java.util.List;
import java.util.Objects;

/**
 * All that is told of a job, as it is at one moment: each report takes the place of those before.
 * Immutable. Times are ms since 1970.
 *
 * @param sequence of the reports of one attempt of the ApplicationMaster, ascending
 * @param attempt of the ApplicationMaster, from 1
 * @param mode {@code auto} or {@code fixed}
 * @param why the job has this mode: one sentence for people
 * @param planningBegunMs when the plan began to be made; 0: not yet
 * @param planMadeMs when it was there; 0: not yet
 * @param plan null: there is none
 * @param events the newest, in the order in which they happened
 * @param eventsLeftOut how many there were before those
 * @param end null: the job has not ended
 * @param viewAcl who may see the job besides its owner; null: lists do not count for it
 */
record JobReport(
    long sequence,
    int attempt,
    String mode,
    String why,
    long planningBegunMs,
    long planMadeMs,
    ReducePlan plan,
    List<Event> events,
    long eventsLeftOut,
    JobListener.End end,
    String viewAcl) {

  /** What can happen to a job; the names are those of the report. */
  enum Kind {
    MAP_RUNS_AGAIN,
    ALL_MAPS_RUN_AGAIN,
    PLAN_MADE,
    PLAN_REFUSED,
    FAILED
  }

  /**
   * Something that has happened.
   *
   * @param task id of the task that it happened to, or empty
   * @param text for people
   */
  record Event(long ms, Kind kind, String task, String text) {}

  JobReport {
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(why, "why");
    events = List.copyOf(events);
  }
}
