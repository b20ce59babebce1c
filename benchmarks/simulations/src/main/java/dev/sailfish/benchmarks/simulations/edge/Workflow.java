package dev.sailfish.benchmarks.simulations.edge;

import java.util.ArrayList;
import java.util.List;

/**
 * Jobs that read each other's files. Each makes one file, which has the job's number.
 *
 * @param jobs each after those whose files it reads
 */
public record Workflow(List<Job> jobs) {
  /**
   * A job, and the file that it makes.
   *
   * @param seconds how long it runs
   * @param checkpointSeconds how long its file is written to the under store, or read from there
   * @param inputs numbers of the jobs whose files it reads
   * @param notBefore when it starts at the earliest, in seconds; else as soon as its inputs are
   *     complete
   * @param reads how often its file is opened when it is complete
   * @param keptSeconds how long after its last reader its file is deleted; infinite: never
   */
  public record Job(
      double seconds,
      double checkpointSeconds,
      List<Integer> inputs,
      double notBefore,
      int reads,
      double keptSeconds) {
    public Job {
      inputs = List.copyOf(inputs);
    }

    /** A job that starts when its inputs are there, and whose file stays. */
    public Job(double seconds, double checkpointSeconds, List<Integer> inputs) {
      this(seconds, checkpointSeconds, inputs, 0, 0, Double.POSITIVE_INFINITY);
    }
  }

  public Workflow {
    jobs = List.copyOf(jobs);
    for (int job = 0; job < jobs.size(); job++) {
      for (int input : jobs.get(job).inputs()) {
        if (input < 0 || input >= job) {
          throw new IllegalArgumentException("job %d reads file %d".formatted(job, input));
        }
      }
    }
  }

  /** Numbers of the jobs that read each file. */
  List<List<Integer>> readers() {
    List<List<Integer>> readers = new ArrayList<>();
    for (int job = 0; job < jobs.size(); job++) {
      readers.add(new ArrayList<>());
      for (int input : jobs.get(job).inputs()) {
        readers.get(input).add(job);
      }
    }
    return readers;
  }
}
