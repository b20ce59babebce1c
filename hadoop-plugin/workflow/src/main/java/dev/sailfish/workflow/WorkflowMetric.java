package dev.sailfish.workflow;

import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.workflow.recovery.RecoveryStatus;
import java.util.EnumMap;
import java.util.Map;

/** What a workflow manager counts since its start, and what there is now. */
public enum WorkflowMetric implements Metric {
  LEADS(Kind.GAUGE, "1 where the manager works; over all of them the sum is 1"),
  FILES_LOST(Kind.GAUGE, "Files that are lost and have a lineage record, as the manager last saw"),
  FILES_GIVEN_UP(Kind.GAUGE, "Of these, files that were given up"),
  STEPS_RUNNING(Kind.GAUGE, "Steps that run as applications of YARN"),
  STEPS_WAITING(Kind.GAUGE, "Steps that wait for others, for a place, or for their next attempt"),
  STEPS_SUCCEEDED(Kind.COUNTER, "Steps that have made their files"),
  STEPS_FAILED(Kind.COUNTER, "Attempts of steps that have failed"),
  CONTAINERS_TAKEN(
      Kind.COUNTER, "Containers that were taken from tasks that wait, for what they wait for"),
  RECORDS_GROWING(Kind.GAUGE, "Lineage records of jobs that have not ended"),
  RECORDS_SEALED(Kind.COUNTER, "Lineage records that were sealed because their jobs have ended"),
  ROUNDS(Kind.COUNTER, "Looks at what is lost that the store and YARN have answered");

  private final Declaration declaration;

  WorkflowMetric(Kind kind, String help) {
    declaration = Declaration.of("workflow", name(), kind, help);
  }

  /** What there is now. */
  static Map<WorkflowMetric, Long> of(RecoveryStatus status, boolean leads, int growing) {
    Map<WorkflowMetric, Long> gauges = new EnumMap<>(WorkflowMetric.class);
    gauges.put(LEADS, leads ? 1L : 0L);
    gauges.put(FILES_LOST, status.lost());
    gauges.put(FILES_GIVEN_UP, status.givenUp());
    gauges.put(STEPS_RUNNING, status.running());
    gauges.put(STEPS_WAITING, status.waiting());
    gauges.put(RECORDS_GROWING, (long) growing);
    return gauges;
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
