package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.util.Optional;

/** What a bench runs: one job that is the same for all contenders but for the contender. */
public interface BenchWorkload {
  /** What the report says of it. */
  BenchPlan plan();

  /** Name in reports and file names. */
  String label();

  /**
   * Makes the job's input, if it reads any.
   *
   * @param runner for jobs that make it; not measured
   */
  default void prepare(MeasuredRunner runner) throws IOException {}

  /** The job of one run. */
  JobRequest request(Contender contender, int round);

  /**
   * What is wrong with the run that was requested last and succeeded, if anything is; may run jobs,
   * which are not measured.
   */
  Optional<String> mistake(Measurement measurement, MeasuredRunner runner) throws IOException;

  /** Deletes what the runs have written; the input stays for the next bench. */
  default void clean() {}
}
