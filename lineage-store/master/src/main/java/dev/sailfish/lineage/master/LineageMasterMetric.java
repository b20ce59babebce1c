package dev.sailfish.lineage.master;

import dev.sailfish.ground.server.metrics.Metric;
import dev.sailfish.lineage.master.checkpoint.CheckpointNumbers;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.util.EnumMap;
import java.util.Map;

/** What a master counts since its start, and what there is now. */
public enum LineageMasterMetric implements Metric {
  LEADS(Kind.GAUGE, "1 where the master leads; over all of them the sum is 1"),
  FILES(Kind.GAUGE, "Files and directories, those too that are deleted and not freed yet"),
  FILES_WRITING(Kind.GAUGE, "Files that are not complete"),
  COPIES(Kind.GAUGE, "Copies of blocks, those too that were with workers that are gone"),
  WORKERS(Kind.GAUGE, "Workers that live"),
  DEPENDENCIES(Kind.GAUGE, "Lineage records"),
  DEPENDENCIES_GROWING(
      Kind.GAUGE, "Lineage records that are not sealed: of jobs that run, or that nobody sealed"),
  OUTPUTS_LOST(Kind.GAUGE, "Files with a lineage record that are lost and can be recomputed"),
  OUTPUTS_GIVEN_UP(Kind.GAUGE, "Lost files that cannot be recomputed: their readers are told why"),
  FILES_WANTED(Kind.GAUGE, "Lost files that readers wait for, where the master leads"),
  SYNCHRONOUS(
      Kind.GAUGE,
      "1 while new files under a mount are written through, whatever their writers ask for"),
  DEPENDENCIES_NONDETERMINISTIC(
      Kind.GAUGE,
      "Lineage records of programs that do not give the same bytes again: so recorded, or so seen"),
  CHECKPOINT_FILES(
      Kind.GAUGE,
      "Files with a lineage record that wait to be copied below, where this master leads"),
  CHECKPOINT_BYTES(Kind.GAUGE, "How long these files are together"),
  CHECKPOINTS_COPYING(
      Kind.GAUGE, "Files that workers copy below in the background, or are told to"),
  CHECKPOINT_OLDEST_S(
      Kind.GAUGE, "How long the oldest of them waits under this leader, in seconds"),
  CHECKPOINT_EDGE_S(
      Kind.GAUGE,
      "About how long it takes to write the present edge, or to make it again if that is longer, in"
          + " seconds: M of the Edge report; 0: not known"),
  CHECKPOINTED_FILES(Kind.GAUGE, "Files copied below in the background since this master leads"),
  CHECKPOINTED_BYTES(Kind.GAUGE, "Their bytes"),
  CHECKPOINT_SPARED_BYTES(
      Kind.GAUGE, "Bytes of files that were deleted before their turn, since this master leads"),
  CHECKPOINT_FAILURES(Kind.GAUGE, "Copies in the background that failed, since this master leads"),
  CHANGES(Kind.COUNTER, "Changes that this master has answered, refusals and repetitions counted"),
  FILES_UNRECORDED_PROGRAMS(
      Kind.COUNTER, unrecorded("a program of the job could not be read, or not be stored")),
  FILES_UNRECORDED_INPUTS(Kind.COUNTER, unrecorded("it could not be told what the job reads")),
  FILES_UNRECORDED_PLAN(
      Kind.COUNTER, unrecorded("they were created before the job's reduce work was planned")),
  FILES_UNRECORDED_REFUSED(
      Kind.COUNTER, unrecorded("the master refused the record, or one more output of it")),
  FILES_UNRECORDED_OTHER(Kind.COUNTER, unrecorded("another reason, which the task's log says")),
  CLIENTS_EXPIRED(Kind.COUNTER, "Clients that were silent for so long that what they wrote went"),
  WORKERS_EXPIRED(Kind.COUNTER, "Workers that were silent for so long that they count as dead");

  private static final long SECOND_MS = 1_000;

  private final Declaration declaration;

  LineageMasterMetric(Kind kind, String help) {
    declaration = Declaration.of(LineageMaster.NAME.replace('-', '_'), name(), kind, help);
  }

  private static String unrecorded(String why) {
    return "Files that tasks of jobs have created, and that have no lineage record: " + why;
  }

  /** What counts files that were created without a record; null: nothing was in the way of one. */
  static LineageMasterMetric of(RecordObstacle obstacle) {
    return switch (obstacle) {
      case OBSTACLE_NONE -> null;
      case OBSTACLE_PROGRAMS -> FILES_UNRECORDED_PROGRAMS;
      case OBSTACLE_INPUTS -> FILES_UNRECORDED_INPUTS;
      case OBSTACLE_PLAN -> FILES_UNRECORDED_PLAN;
      case OBSTACLE_REFUSED -> FILES_UNRECORDED_REFUSED;
      default -> FILES_UNRECORDED_OTHER;
    };
  }

  /** What there is now. */
  static Map<LineageMasterMetric, Long> of(
      Namespace namespace, boolean leads, CheckpointNumbers checkpoints) {
    DependencyGraph graph = namespace.lineage().graph();
    Map<LineageMasterMetric, Long> gauges = new EnumMap<>(LineageMasterMetric.class);
    gauges.put(LEADS, leads ? 1L : 0L);
    gauges.put(FILES, (long) namespace.size());
    gauges.put(FILES_WRITING, (long) namespace.writing().size());
    gauges.put(COPIES, (long) namespace.copies());
    gauges.put(WORKERS, (long) namespace.workers().size());
    gauges.put(DEPENDENCIES, (long) graph.size());
    gauges.put(DEPENDENCIES_GROWING, (long) graph.growing());
    gauges.put(OUTPUTS_LOST, (long) graph.lost());
    gauges.put(OUTPUTS_GIVEN_UP, (long) graph.givenUp().size());
    gauges.put(SYNCHRONOUS, namespace.writing().isSynchronous() ? 1L : 0L);
    gauges.put(DEPENDENCIES_NONDETERMINISTIC, (long) graph.nondeterministic());
    gauges.put(CHECKPOINT_FILES, checkpoints.files());
    gauges.put(CHECKPOINT_BYTES, checkpoints.bytes());
    gauges.put(CHECKPOINTS_COPYING, checkpoints.copying());
    gauges.put(CHECKPOINT_OLDEST_S, checkpoints.oldestMs() / SECOND_MS);
    gauges.put(CHECKPOINT_EDGE_S, checkpoints.edgeMs() / SECOND_MS);
    gauges.put(CHECKPOINTED_FILES, checkpoints.copiedFiles());
    gauges.put(CHECKPOINTED_BYTES, checkpoints.copiedBytes());
    gauges.put(CHECKPOINT_SPARED_BYTES, checkpoints.sparedBytes());
    gauges.put(CHECKPOINT_FAILURES, checkpoints.failures());
    return gauges;
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
