package dev.sailfish.workflow.step;

import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import java.util.List;
import java.util.Set;

/**
 * What one step is to do.
 *
 * @param record how the outputs are made, with its configuration
 * @param outputs of the record that are to be written again, at least one
 * @param queue of YARN; empty: that of the record
 * @param priority of the application in YARN; higher ones go first
 * @param tags of the application, by which it is found again
 * @param tasks how many may run at once; 0: as many as YARN gives
 */
public record StepRequest(
    DependencyRecord record,
    List<DependencyOutput> outputs,
    String queue,
    int priority,
    Set<String> tags,
    int tasks) {
  /** Checked. */
  public StepRequest {
    if (outputs.isEmpty()) {
      throw new IllegalArgumentException("a step without outputs: record=" + record.getId());
    }
    outputs = List.copyOf(outputs);
    tags = Set.copyOf(tags);
  }

  /** With as many tasks at once as YARN gives. */
  public StepRequest(
      DependencyRecord record,
      List<DependencyOutput> outputs,
      String queue,
      int priority,
      Set<String> tags) {
    this(record, outputs, queue, priority, tags, 0);
  }
}
