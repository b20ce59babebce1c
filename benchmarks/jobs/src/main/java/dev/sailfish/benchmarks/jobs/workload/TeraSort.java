package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Hadoop's TeraSort over what TeraGen made, each output checked by TeraValidate. */
public final class TeraSort implements BenchWorkload {
  private final BenchPlan plan;
  private final Distribution distribution;
  private final Path input;
  private final Path output;

  /** The input is kept in the cluster's directory for the next bench of the same size. */
  public TeraSort(BenchPlan plan, Distribution distribution, ClusterLayout layout) {
    this.plan = plan;
    this.distribution = distribution;
    Path directory = layout.data().resolve("bench");
    output = directory.resolve("terasort-" + ProcessHandle.current().pid());
    input = directory.resolve("teragen-" + plan.mb() + "mb-" + plan.maps() + "-files");
  }

  @Override
  public String label() {
    return "terasort";
  }

  @Override
  public void prepare(MeasuredRunner runner) {
    if (Files.exists(input.resolve("_SUCCESS"))) {
      return;
    }
    Directories.delete(input);
    List<String> arguments = List.of("teragen", Long.toString(plan.records()), input.toString());
    Map<String, String> configuration = Map.of("mapreduce.job.maps", Integer.toString(plan.maps()));
    Measurement measurement =
        runner.run(
            "teragen",
            new JobRequest(JobJars.of(distribution).examples(), arguments, configuration));
    if (!measurement.succeeded()) {
      throw new CommandException("TeraGen failed: see the log of client teragen.");
    }
  }

  @Override
  public JobRequest request(Contender contender, int round) {
    Map<String, String> configuration = configuration(contender);
    configuration.put("mapreduce.job.reduces", Integer.toString(plan.reduces()));
    return new JobRequest(
        JobJars.of(distribution).examples(),
        List.of("terasort", input.toString(), output(contender, round).toString()),
        configuration);
  }

  private Map<String, String> configuration(Contender contender) {
    Map<String, String> configuration = new HashMap<>(plan.configuration(contender));
    configuration.put(
        "mapreduce.input.fileinputformat.split.minsize", Long.toString(Long.MAX_VALUE));
    // On a local file system TeraSort finds its partition file by the working directory, which a
    // cached file system does not take over from the job.
    configuration.put("fs.file.impl.disable.cache", "true");
    return configuration;
  }

  private Path output(Contender contender, int round) {
    return output.resolve(contender.label() + "-" + round);
  }

  @Override
  public boolean isRight(
      Contender contender, int round, Measurement measurement, MeasuredRunner runner) {
    Path sorted = output(contender, round);
    Path report = Path.of(sorted + "-report");
    Measurement validation =
        runner.run(
            "teravalidate",
            new JobRequest(
                JobJars.of(distribution).examples(),
                List.of("teravalidate", sorted.toString(), report.toString()),
                configuration(Contender.STOCK)));
    boolean right =
        validation.succeeded()
            && measurement.job().taskCounter("REDUCE_INPUT_RECORDS") == plan.records()
            && errors(report) == 0;
    Directories.delete(sorted);
    return right;
  }

  @Override
  public void clean() {
    Directories.delete(output);
  }

  private static long errors(Path report) {
    try (Stream<Path> files = Files.list(report)) {
      long errors = 0;
      for (Path file :
          files.filter(file -> file.getFileName().toString().startsWith("part-")).toList()) {
        errors += Files.readAllLines(file).stream().filter(line -> line.contains("error")).count();
      }
      return errors;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
