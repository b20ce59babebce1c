package dev.sailfish.hadoop.am;

import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import java.io.IOException;
import java.util.BitSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;

/**
 * Which tasks of a job run: all of them, or, when it recomputes lost files, those that make them. A
 * reduce task needs all maps. Immutable.
 */
final class NeededTasks {
  /** Of a job that runs as any other. */
  static final NeededTasks ALL = new NeededTasks(null, null);

  private final BitSet maps;
  private final BitSet reduces;

  private NeededTasks(BitSet maps, BitSet reduces) {
    this.maps = maps;
    this.reduces = reduces;
  }

  /** Those of a job; reads its order in the working directory. */
  static NeededTasks of(Configuration conf) throws IOException {
    return OrderFile.isIn(conf) ? of(OrderFile.read(conf)) : ALL;
  }

  static NeededTasks of(RecomputeOrder order) {
    BitSet maps = new BitSet();
    BitSet reduces = new BitSet();
    for (OrderedOutput output : order.getOutputsList()) {
      (output.getMap() ? maps : reduces).set(output.getTask());
    }
    return new NeededTasks(reduces.isEmpty() ? maps : null, reduces);
  }

  boolean isAll() {
    return reduces == null;
  }

  boolean has(TaskId task) {
    return task.getTaskType() == TaskType.MAP
        ? maps == null || maps.get(task.getId())
        : hasReduce(task.getId());
  }

  boolean hasReduce(int number) {
    return reduces == null || reduces.get(number);
  }

  /** Whether any reduce task runs, where the job has some. */
  boolean hasReduces() {
    return reduces == null || !reduces.isEmpty();
  }

  @Override
  public String toString() {
    return isAll() ? "all" : "maps " + (maps == null ? "all" : maps) + ", reduces " + reduces;
  }
}
