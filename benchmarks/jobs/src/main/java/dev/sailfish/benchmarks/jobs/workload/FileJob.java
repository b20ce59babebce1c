package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A job from files to files, whose outputs must be equal in all runs, byte for byte. */
public class FileJob implements BenchWorkload {
  private final BenchPlan plan;
  private final String label;
  private final Path jar;
  private final String program;
  private final Path input;
  private final Path outputs;
  private int runs;
  private Path first;
  private Path last;

  /**
   * @param program main class, or name of a program, in the jar
   * @param outputs directory of its own, which gets one directory per run
   */
  public FileJob(BenchPlan plan, String label, Path jar, String program, Path input, Path outputs) {
    this.plan = plan;
    this.label = label;
    this.jar = jar;
    this.program = program;
    this.input = input;
    this.outputs = outputs;
  }

  @Override
  public final BenchPlan plan() {
    return plan;
  }

  @Override
  public final String label() {
    return label;
  }

  @Override
  public final JobRequest request(Contender contender, int round) {
    last = outputs.resolve(++runs + "-" + contender);
    first = first == null ? last : first;
    return request(contender, program, input, last);
  }

  /** What is set for the jobs of a contender. */
  protected Map<String, String> configuration(Contender contender) {
    return plan.fileConfiguration(contender);
  }

  /** A job of the same jar. */
  final JobRequest request(Contender contender, String name, Object from, Path to) {
    return new JobRequest(
        jar, List.of(name, from.toString(), to.toString()), configuration(contender));
  }

  final Path input() {
    return input;
  }

  /** Of the last run. */
  final Path output() {
    return last;
  }

  @Override
  public Optional<String> mistake(Measurement measurement, MeasuredRunner runner)
      throws IOException {
    return last == first ? Optional.empty() : PartFiles.difference(first, last);
  }

  @Override
  public final void clean() {
    Directories.delete(outputs);
  }
}
