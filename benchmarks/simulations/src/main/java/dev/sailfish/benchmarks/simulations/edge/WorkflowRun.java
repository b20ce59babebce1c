package dev.sailfish.benchmarks.simulations.edge;

import dev.sailfish.benchmarks.simulations.edge.Workflow.Job;
import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * A workflow on a cluster with room for all of its jobs at once, and one writer of checkpoints that
 * writes one file after the other as a policy says. Nothing fails: what a failure would cost is
 * read off the {@link Timeline}.
 */
public final class WorkflowRun {
  private static final int NOTHING = -1;
  private static final double NS_PER_SECOND = 1e9;

  /** What happens, in the order in which things of one moment are told. */
  private enum What {
    COMPLETED,
    STARTED,
    WRITTEN,
    DELETED,
    ASKED
  }

  private record Event(double at, What what, int file) {}

  private final Workflow workflow;
  private final CheckpointPolicy policy;
  private final List<List<Integer>> readers;
  private final int[] missingInputs;
  private final int[] unfinishedReaders;
  private final Timeline timeline;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingDouble(Event::at)
              .thenComparing(Event::what)
              .thenComparingInt(Event::file));
  private int writing = NOTHING;
  private double writingSince;

  private WorkflowRun(Workflow workflow, CheckpointPolicy policy) {
    this.workflow = workflow;
    this.policy = policy;
    readers = workflow.readers();
    missingInputs = workflow.jobs().stream().mapToInt(job -> job.inputs().size()).toArray();
    unfinishedReaders = readers.stream().mapToInt(List::size).toArray();
    timeline = new Timeline(workflow);
  }

  /**
   * Runs a workflow until its last file is complete and nothing is left to write.
   *
   * @param policy a new one
   */
  public static Timeline of(Workflow workflow, CheckpointPolicy policy) {
    WorkflowRun run = new WorkflowRun(workflow, policy);
    run.begin();
    run.run();
    return run.timeline;
  }

  private void begin() {
    for (int file = 0; file < workflow.jobs().size(); file++) {
      if (workflow.jobs().get(file).inputs().isEmpty()) {
        canStart(file, 0);
      }
    }
  }

  private void canStart(int file, double now) {
    double notBefore = workflow.jobs().get(file).notBefore();
    if (notBefore > now) {
      events.add(new Event(notBefore, What.STARTED, file));
    } else {
      started(file, now);
    }
  }

  /** A job is recorded when it starts. */
  private void started(int file, double now) {
    Job job = workflow.jobs().get(file);
    policy.submitted(
        job.inputs().stream().mapToLong(input -> input).toArray(), new long[] {file}, ns(now));
    timeline.started[file] = now;
    events.add(new Event(now + job.seconds(), What.COMPLETED, file));
  }

  private static long ns(double seconds) {
    return Math.round(seconds * NS_PER_SECOND);
  }

  private void run() {
    while (!events.isEmpty()) {
      double now = events.peek().at();
      while (!events.isEmpty() && events.peek().at() == now) {
        Event event = events.remove();
        switch (event.what()) {
          case COMPLETED -> completed(event.file(), now);
          case STARTED -> started(event.file(), now);
          case WRITTEN -> written(event.file(), now);
          case DELETED -> deleted(event.file(), now);
          case ASKED -> {} // by all that happens
        }
      }
      if (writing == NOTHING) {
        write(now);
      }
    }
  }

  private void completed(int file, double now) {
    timeline.completed[file] = now;
    policy.completed(file, ns(now));
    for (int i = 0; i < workflow.jobs().get(file).reads(); i++) {
      policy.read(file);
    }
    for (int reader : readers.get(file)) {
      if (--missingInputs[reader] == 0) {
        canStart(reader, now);
      }
    }
    if (unfinishedReaders[file] == 0) {
      lastReaderDone(file, now);
    }
    for (int input : workflow.jobs().get(file).inputs()) {
      if (--unfinishedReaders[input] == 0) {
        lastReaderDone(input, now);
      }
    }
  }

  private void lastReaderDone(int file, double now) {
    double kept = workflow.jobs().get(file).keptSeconds();
    if (Double.isFinite(kept)) {
      events.add(new Event(now + kept, What.DELETED, file));
    }
  }

  private void write(double now) {
    OptionalLong next = policy.next(ns(now));
    if (next.isPresent()) {
      writing = Math.toIntExact(next.getAsLong());
      writingSince = now;
      policy.started(writing, ns(now));
      timeline.writeStarted(writing, now);
      double seconds = workflow.jobs().get(writing).checkpointSeconds();
      events.add(new Event(now + seconds, What.WRITTEN, writing));
    } else if (policy.askAgainNs().isPresent()) {
      double again = policy.askAgainNs().getAsLong() / NS_PER_SECOND;
      events.add(new Event(again, What.ASKED, NOTHING));
    }
  }

  /** Also comes for a file that was deleted while it was written, of which the write was ended. */
  private void written(int file, double now) {
    if (writing == file) {
      timeline.checkpointed[file] = now;
      policy.checkpointed(file, ns(now - writingSince));
      writing = NOTHING;
    }
  }

  private void deleted(int file, double now) {
    timeline.deleted[file] = now;
    policy.deleted(file);
    if (writing == file) {
      timeline.abandonedSeconds += now - writingSince;
      writing = NOTHING;
    }
  }

  static double[] never(int files) {
    double[] times = new double[files];
    Arrays.fill(times, Double.POSITIVE_INFINITY);
    return times;
  }
}
