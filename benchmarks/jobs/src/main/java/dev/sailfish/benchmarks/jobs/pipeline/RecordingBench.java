package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Span;
import dev.sailfish.benchmarks.jobs.workload.PartFiles;
import dev.sailfish.benchmarks.jobs.workload.TextPipeline;
import dev.sailfish.lineage.master.LineageMasterMetric;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What records and checkpoints cost a job. For one thread. */
public final class RecordingBench {
  private static final int JOBS = 2;
  private static final double MB = 1e6;

  private final LocalCluster cluster;
  private final MeasuredRunner runner;
  private final PipelinePlace mounted;
  private final String unmounted;
  private final Path results;
  private final Consumer<String> progress;
  private final FileShell shell;
  private final RecordLines lines;

  /**
   * @param mounted a place that is below too, with a text
   * @param unmounted URI of a directory of the same store where nothing is mounted
   * @param results directory for what the jobs have written, which is compared
   * @param progress receives a line for each step
   */
  public RecordingBench(
      LocalCluster cluster,
      MeasuredRunner runner,
      PipelinePlace mounted,
      String unmounted,
      Path results,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.runner = runner;
    this.mounted = mounted;
    this.unmounted = unmounted;
    this.results = results;
    this.progress = progress;
    this.shell = new FileShell(cluster);
    this.lines = new RecordLines(cluster.layout().containerLogs());
  }

  /**
   * Runs two jobs.
   *
   * @param jobs with the keys of this contender
   */
  public RecordingRun run(String contender, TextPipeline jobs, int round) throws IOException {
    String label = "recording-" + contender + "-" + round;
    progress.accept(label);
    String base = contender.equals(RecordingRun.CHECKPOINTED) ? mounted.base() : unmounted;
    String output = base + "/kept/" + label;
    Optional<String> mistake = Optional.empty();
    lines.skip();
    Span span = Span.begin(cluster);
    long startNs = System.nanoTime();
    try {
      for (int job = 1; job <= JOBS; job++) {
        runner.runUnmeasured(
            label + "-" + job,
            jobs.clean(1, mounted.base() + "/" + PipelineEntry.TEXT, output + "/" + job));
      }
    } catch (CommandException e) {
      mistake = Optional.of(e.getMessage());
    }
    double wall = (System.nanoTime() - startNs) / 1e9;
    mounted.settle();
    Span.Usage usage = span.end();
    List<Double> seconds = lines.cpuSeconds();
    if (mistake.isEmpty()) {
      mistake = difference(output);
    }
    int records = contender.equals(RecordingRun.PLAIN) ? 0 : JOBS;
    if (mistake.isEmpty() && seconds.size() != records) {
      mistake =
          Optional.of(
              "tasks say that they made %d records, not %d".formatted(seconds.size(), records));
    }
    mistake.ifPresent(what -> progress.accept("INVALID: " + what));
    return new RecordingRun(
        contender,
        round,
        PipelineRun.rounded(wall),
        PipelineRun.rounded(usage.all().cpuSeconds()),
        seconds,
        usage.count(LineageMasterMetric.CHECKPOINTED_BYTES) / MB,
        mistake.isEmpty());
  }

  private Optional<String> difference(String output) throws IOException {
    Path first = results.resolve("lines");
    Path own = results.resolve("own");
    Optional<String> difference = Optional.empty();
    for (int job = 1; job <= JOBS; job++) {
      shell.run("-get", output + "/" + job, own.toUri().toString());
      if (!Files.exists(first)) {
        Files.move(own, first);
      } else {
        difference = difference.isPresent() ? difference : PartFiles.difference(first, own);
        Directories.delete(own);
      }
    }
    shell.run("-rm", "-r", "-skipTrash", output);
    return difference;
  }
}
