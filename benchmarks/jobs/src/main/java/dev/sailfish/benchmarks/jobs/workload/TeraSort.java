package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Hadoop's TeraSort over what TeraGen made, each output checked by TeraValidate. */
public final class TeraSort extends FileJob {
  private final JobJars jars;

  /** The input is kept in the cluster's directory for the next bench of the same size. */
  public TeraSort(BenchPlan plan, JobJars jars, ClusterLayout layout) {
    super(
        plan,
        "terasort",
        jars.examples(),
        "terasort",
        layout.bench("teragen-%dmb-%d-files".formatted(plan.mb(), plan.maps())),
        layout.bench("terasort-" + ProcessHandle.current().pid()));
    this.jars = jars;
  }

  /**
   * On a local file system TeraSort finds its partition file by the working directory, which a
   * cached file system does not take over from the job.
   */
  @Override
  protected Map<String, String> configuration(Contender contender) {
    Map<String, String> configuration = new HashMap<>(super.configuration(contender));
    configuration.put("fs.file.impl.disable.cache", "true");
    return configuration;
  }

  @Override
  public void prepare(MeasuredRunner runner) {
    if (Files.exists(input().resolve("_SUCCESS"))) {
      return;
    }
    Directories.delete(input());
    List<String> arguments =
        List.of("teragen", Long.toString(plan().records()), input().toString());
    Map<String, String> configuration =
        Map.of("mapreduce.job.maps", Integer.toString(plan().maps()));
    if (!runner
        .run("teragen", new JobRequest(jars.examples(), arguments, configuration))
        .succeeded()) {
      throw new CommandException("TeraGen failed: see the log of client teragen.");
    }
  }

  @Override
  public Optional<String> mistake(Measurement measurement, MeasuredRunner runner)
      throws IOException {
    Path report = Path.of(output() + "-report");
    Optional<String> mistake = Optional.empty();
    if (runner
        .run("teravalidate", request(Contender.STOCK, "teravalidate", output(), report))
        .succeeded()) {
      for (Path file : PartFiles.in(report)) {
        Stream<String> errors =
            Files.readAllLines(file).stream().filter(line -> line.contains("error"));
        mistake = mistake.or(errors::findFirst);
      }
    } else {
      mistake = Optional.of("TeraValidate failed: see the log of client teravalidate");
    }
    Directories.delete(output());
    return mistake.or(() -> plan().miscount(measurement));
  }
}
