package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.Corpus;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.OutputComparison;
import dev.sailfish.cli.TextTable;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.Shuffle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** The workloads of the demo, run with two shuffles each, and what came out. */
public final class Demo {
  private static final int REDUCES = 3;
  private static final double MB = 1e6;

  /** A job over the corpus: its jar, and main class or program name. */
  private record Workload(String name, Path jar, String program) {}

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final Consumer<String> progress;
  private final Path run;
  private final TextTable table =
      new TextTable(
          "job",
          "shuffle",
          "wall s",
          "map s",
          "reduce s",
          "CPU s",
          "shuffled MB",
          "chunks",
          "output");
  private boolean equal = true;

  /**
   * A demo that has done nothing yet.
   *
   * @param distribution where jars and text are
   * @param layout of the cluster
   * @param progress receives a line for each step
   */
  public Demo(Distribution distribution, ClusterLayout layout, Consumer<String> progress) {
    this.distribution = distribution;
    this.layout = layout;
    this.progress = progress;
    run = layout.data().resolve("demo-" + UUID.randomUUID());
  }

  private Path corpus() {
    return layout.demo().resolve("corpus");
  }

  /** Unpacks the text that the jobs read. */
  public void unpackCorpus() {
    long bytes = Corpus.unpack(JobJars.of(distribution).corpus(), corpus());
    progress.accept(
        String.format(
            Locale.ROOT, "corpus: %.0f MB of Hadoop's source code in %s", bytes / MB, corpus()));
  }

  /**
   * Runs each workload with each of the two shuffles and compares the outputs.
   *
   * @param shuffles two, the first is the one to compare with
   * @param runner on a running cluster
   */
  public void runAll(List<Shuffle> shuffles, MeasuredRunner runner) {
    List<Workload> workloads =
        List.of(
            new Workload("wordcount", JobJars.of(distribution).examples(), "wordcount"),
            new Workload(
                "secondary-sort",
                JobJars.of(distribution).own(),
                "dev.sailfish.benchmarks.jobs.mapreduce.SecondarySortJob"));
    for (Workload workload : workloads) {
      List<Path> outputs = new ArrayList<>();
      for (Shuffle shuffle : shuffles) {
        Path output = run.resolve(workload.name() + "-" + outputs.size() + "-" + shuffle);
        progress.accept(workload.name() + " with " + shuffle);
        Measurement measurement = measure(workload, shuffle, output, runner);
        outputs.add(output);
        addRow(workload, shuffle, measurement, outputs);
      }
    }
  }

  private Measurement measure(
      Workload workload, Shuffle shuffle, Path output, MeasuredRunner runner) {
    Map<String, String> configuration = new HashMap<>(shuffle.configuration());
    configuration.put("mapreduce.job.reduces", Integer.toString(REDUCES));
    List<String> arguments = List.of(workload.program(), corpus().toString(), output.toString());
    String label = output.getFileName().toString();
    Measurement measurement =
        runner.run(label, new JobRequest(workload.jar(), arguments, configuration));
    if (!measurement.succeeded()) {
      throw new CommandException(
          label
              + " failed with exit code "
              + measurement.exitCode()
              + ": see "
              + layout.logs().resolve("client-" + label + ".log")
              + " and "
              + layout.containerLogs()
              + ".");
    }
    return measurement;
  }

  private void addRow(
      Workload workload, Shuffle shuffle, Measurement measurement, List<Path> outputs) {
    String verdict = "";
    if (outputs.size() == 2) {
      OutputComparison comparison = OutputComparison.compare(outputs.get(0), outputs.get(1));
      progress.accept(workload.name() + ": " + comparison.description());
      equal &= comparison.equal();
      verdict = comparison.equal() ? "equal" : "DIFFERENT";
    }
    JobMetrics job = measurement.job();
    table.add(
        workload.name(),
        shuffle.label(),
        oneDecimal(job.wallSeconds()),
        oneDecimal(job.mapSeconds()),
        oneDecimal(job.reduceSeconds()),
        oneDecimal(measurement.cpuSecondsOf(shuffle)),
        oneDecimal(job.taskCounter("REDUCE_SHUFFLE_BYTES") / MB),
        shuffle == Shuffle.SAILFISH ? Long.toString(measurement.chunks()) : "-",
        verdict);
  }

  private static String oneDecimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Whether all outputs compared so far were equal. */
  public boolean isEqual() {
    return equal;
  }

  /** The table of all runs. */
  public String table() {
    return table.render();
  }

  /** One line that sums it up. */
  public String verdict() {
    return equal
        ? "All outputs are equal, byte for byte."
        : "OUTPUTS DIFFER: they are in " + run + ".";
  }
}
