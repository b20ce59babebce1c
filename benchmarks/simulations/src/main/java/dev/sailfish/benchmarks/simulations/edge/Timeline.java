package dev.sailfish.benchmarks.simulations.edge;

import dev.sailfish.benchmarks.simulations.edge.Workflow.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * When everything happened in a {@link WorkflowRun}, in seconds, and what a failure at some time
 * would have cost: it takes all files from memory, and jobs run again on as many resources as
 * before, all at once as far as their inputs are there (footnote 3 of the paper).
 */
public final class Timeline {
  final double[] started;
  final double[] completed;
  final double[] checkpointed;
  final double[] deleted;
  double abandonedSeconds;

  private final Workflow workflow;
  private final List<List<Integer>> readers;
  private final double[] writeStarted;
  private final List<Integer> written = new ArrayList<>();

  /** Nothing has happened. */
  Timeline(Workflow workflow) {
    this.workflow = workflow;
    readers = workflow.readers();
    int files = workflow.jobs().size();
    started = WorkflowRun.never(files);
    completed = WorkflowRun.never(files);
    checkpointed = WorkflowRun.never(files);
    deleted = WorkflowRun.never(files);
    writeStarted = WorkflowRun.never(files);
  }

  void writeStarted(int file, double at) {
    writeStarted[file] = at;
    written.add(file);
  }

  /** When a file was complete. */
  public double completed(int file) {
    return completed[file];
  }

  /** When its checkpoint was; infinite: it has none. */
  public double checkpointed(int file) {
    return checkpointed[file];
  }

  /** When writing it began; infinite: it was never written. */
  public double writeStarted(int file) {
    return writeStarted[file];
  }

  /** Files of which writing began, in this order. */
  public List<Integer> written() {
    return List.copyOf(written);
  }

  /** When the last job was done. */
  public double end() {
    return DoubleStream.of(completed).max().orElse(0);
  }

  /** Time for writes that were ended because their files were deleted, in seconds. */
  public double abandonedSeconds() {
    return abandonedSeconds;
  }

  /** Complete, not deleted, and no job that reads it was done at that time. */
  public boolean wasLeaf(int file, double at) {
    return completed[file] <= at
        && deleted[file] > at
        && readers.get(file).stream().allMatch(reader -> completed[reader] > at);
  }

  /**
   * How long it would take after a failure until each file is there, in seconds.
   *
   * @param at when the cluster fails: what has no checkpoint then is recomputed
   * @param readSeconds how long a checkpoint is read, for each second that it was written
   */
  public double[] recoverySeconds(double at, double readSeconds) {
    double[] seconds = new double[workflow.jobs().size()];
    for (int file = 0; file < seconds.length; file++) {
      Job job = workflow.jobs().get(file);
      seconds[file] =
          checkpointed[file] <= at
              ? readSeconds * job.checkpointSeconds()
              : job.seconds() + inputsSeconds(job, seconds);
    }
    return seconds;
  }

  /**
   * How long it would take until the computation is where it was when the cluster failed, in
   * seconds: jobs that ran have done again what they had done, and all leaves are there. Reading
   * checkpoints takes no time, as in section 7.3 of the paper, where they cost all policies the
   * same.
   */
  public double standSeconds(double at) {
    double[] seconds = recoverySeconds(at, 0);
    return IntStream.range(0, seconds.length)
        .filter(file -> started[file] <= at)
        .filter(file -> completed[file] > at || wasLeaf(file, at))
        .mapToDouble(file -> standSeconds(file, at, seconds))
        .max()
        .orElse(0);
  }

  private double standSeconds(int file, double at, double[] seconds) {
    return completed[file] <= at
        ? seconds[file]
        : at - started[file] + inputsSeconds(workflow.jobs().get(file), seconds);
  }

  private static double inputsSeconds(Job job, double[] seconds) {
    return job.inputs().stream().mapToDouble(input -> seconds[input]).max().orElse(0);
  }
}
