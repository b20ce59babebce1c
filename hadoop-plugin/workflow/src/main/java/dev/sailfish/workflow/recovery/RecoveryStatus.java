package dev.sailfish.workflow.recovery;

import java.util.List;

/**
 * How recovery is, for pages and metrics.
 *
 * @param lost files that are lost, those counted that nobody wants and those that are given up
 * @param givenUp of these
 * @param waiting steps that wait for others, for a place or for their next attempt
 * @param running steps that run
 * @param succeeded steps that have made their outputs, since the start
 * @param failed attempts that have failed, since the start
 * @param taken containers that were taken from tasks that wait, since the start
 * @param obstacle why a step that is waited for gets no container; empty: none is in this position
 * @param steps one line for each that runs or waits
 */
public record RecoveryStatus(
    long lost,
    long givenUp,
    long waiting,
    long running,
    long succeeded,
    long failed,
    long taken,
    String obstacle,
    List<Line> steps) {
  /** Nothing. */
  public static final RecoveryStatus NONE = new RecoveryStatus(0, 0, 0, 0, 0, 0, 0, "", List.of());

  /**
   * One step.
   *
   * @param files how many it makes
   */
  public record Line(long dependency, int files, String progress) {}
}
