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
 * reduce task needs all maps, or none where it reads kept output of an earlier job's. Immutable.
 */
final class NeededTasks {
  /** Of a job that runs as any other. */
  static final NeededTasks ALL = new NeededTasks(null, null, false);

  private final BitSet maps;
  private final BitSet reduces;
  private final boolean kept;

  private NeededTasks(BitSet maps, BitSet reduces, boolean kept) {
    this.maps = maps;
    this.reduces = reduces;
    this.kept = kept;
  }

  /**
   * Those of a job; reads its order in the working directory.
   *
   * @param kept whether reduce tasks read kept output of an earlier job
   */
  static NeededTasks of(Configuration conf, boolean kept) throws IOException {
    return OrderFile.isIn(conf) ? of(OrderFile.read(conf), kept) : ALL;
  }

  static NeededTasks of(RecomputeOrder order, boolean kept) {
    BitSet maps = new BitSet();
    BitSet reduces = new BitSet();
    for (OrderedOutput output : order.getOutputsList()) {
      (output.getMap() ? maps : reduces).set(output.getTask());
    }
    boolean noMaps = kept && maps.isEmpty() && !reduces.isEmpty();
    return new NeededTasks(noMaps || reduces.isEmpty() ? maps : null, reduces, noMaps);
  }

  boolean isAll() {
    return reduces == null;
  }

  /** Whether no map runs, unless what is kept of an earlier job's cannot be read. */
  boolean readsKept() {
    return kept;
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
