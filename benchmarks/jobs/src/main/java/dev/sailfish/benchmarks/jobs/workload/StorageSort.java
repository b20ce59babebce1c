package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * TeraGen, TeraSort and TeraValidate with input and output in one file system, whichever it is.
 *
 * @param plan how much, and with how many tasks; its contenders are not looked at
 * @param jar with Hadoop's examples, and with file systems that a cluster has not
 * @param base URI of a directory of its own
 * @param keys of the jobs' configuration
 */
public record StorageSort(BenchPlan plan, Path jar, String base, Map<String, String> keys) {
  public StorageSort {
    keys = Map.copyOf(keys);
  }

  private JobRequest request(String program, String... arguments) {
    Map<String, String> all = new HashMap<>(plan.fileConfiguration(Contender.STOCK));
    all.put("mapreduce.job.maps", Integer.toString(plan.maps()));
    // The other one reads its partitions from a file that NodeManagers fetch, without the job's
    // jar.
    all.put("mapreduce.terasort.simplepartitioner", "true");
    all.putAll(keys);
    return new JobRequest(
        jar, Stream.concat(Stream.of(program), Stream.of(arguments)).toList(), all);
  }

  private String input(int round) {
    return base + "/in-" + round;
  }

  private String output(int round) {
    return base + "/out-" + round;
  }

  /** Writes a round's input. */
  public Measurement generate(MeasuredRunner runner, String label, int round) {
    return runner.run(
        label + "-teragen", request("teragen", Long.toString(plan.records()), input(round)));
  }

  /** Sorts it. */
  public Measurement sort(MeasuredRunner runner, String label, int round) {
    return runner.run(label + "-terasort", request("terasort", input(round), output(round)));
  }

  /**
   * What is wrong with the output; empty if nothing is.
   *
   * @param sorted of the run that wrote it
   * @param report directory for TeraValidate's report, which is deleted
   */
  public Optional<String> mistake(
      MeasuredRunner runner, String label, int round, Measurement sorted, Path report)
      throws IOException {
    if (!sorted.succeeded()) {
      return Optional.of("TeraSort failed: see the log of client " + label + "-terasort");
    }
    Measurement validated =
        runner.run(
            label + "-teravalidate",
            request("teravalidate", output(round), report.toUri().toString()));
    if (!validated.succeeded()) {
      return Optional.of("TeraValidate failed: see the log of client " + label + "-teravalidate");
    }
    Optional<String> mistake = plan.miscount(sorted);
    for (Path file : PartFiles.in(report)) {
      Stream<String> errors =
          Files.readAllLines(file).stream().filter(line -> line.contains("error"));
      mistake = mistake.or(errors::findFirst);
    }
    Directories.delete(report);
    return mistake;
  }
}
