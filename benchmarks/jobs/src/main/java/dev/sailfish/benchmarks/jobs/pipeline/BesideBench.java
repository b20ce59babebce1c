package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Span;
import dev.sailfish.benchmarks.jobs.workload.PartFiles;
import dev.sailfish.benchmarks.jobs.workload.TextPipeline;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.workflow.WorkflowMetric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Words of a local text are counted beside words of a text in the lineage store, whose input is
 * there, or lost and recomputed (Tachyon §7.4). For one thread.
 */
public final class BesideBench {
  private final LocalCluster cluster;
  private final MeasuredRunner runner;
  private final PipelineEntry entry;
  private final TextPipeline other;
  private final Path directory;
  private final Consumer<String> progress;
  private final FileShell shell;

  /**
   * @param entry of the lineage store
   * @param other the other's jobs
   * @param directory for the other's results, beside which the text lies
   * @param progress receives a line for each step
   */
  public BesideBench(
      LocalCluster cluster,
      MeasuredRunner runner,
      PipelineEntry entry,
      TextPipeline other,
      Path directory,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.runner = runner;
    this.entry = entry;
    this.other = other;
    this.directory = directory;
    this.progress = progress;
    this.shell = new FileShell(cluster);
  }

  /** Runs the other job alone, beside a job, and beside a job whose input is recomputed. */
  public List<BesideRun> round(int round) throws IOException {
    List<BesideRun> runs = new ArrayList<>();
    for (String beside : List.of(BesideRun.NOTHING, BesideRun.JOB, BesideRun.RECOMPUTE)) {
      progress.accept("round " + round + ": a job beside " + beside);
      runs.add(run(beside, round));
    }
    return runs;
  }

  private BesideRun run(String beside, int round) throws IOException {
    String label = "beside-" + beside + "-" + round;
    Optional<String> last = Optional.empty();
    if (!beside.equals(BesideRun.NOTHING)) {
      last = Optional.of(entry.clean(runner, PipelineEntry.TEXT, label, tag -> {}));
    }
    Span span = Span.begin(cluster);
    if (beside.equals(BesideRun.RECOMPUTE)) {
      entry.place().lose(span);
    }
    Path output = directory.resolve("output");
    JobRequest count = other.count(text().toUri().toString(), output.toUri().toString());
    Supplier<Double> counting = () -> seconds(label + "-other", count);
    CompletableFuture<Double> others = CompletableFuture.supplyAsync(counting);
    Optional<String> mistake = Optional.empty();
    Double own = null;
    double seconds = Double.NaN;
    try {
      if (last.isPresent()) {
        own = seconds(label, entry.jobs().count(last.get(), entry.words(label)));
      }
      seconds = others.join();
    } catch (CommandException | CompletionException e) {
      mistake = Optional.of(e.getMessage());
    }
    entry.place().settle();
    Span.Usage usage = span.end();
    if (beside.equals(BesideRun.RECOMPUTE)) {
      mistake = mistake.or(() -> entry.place().mistakeOfLoss(usage));
    }
    if (mistake.isEmpty()) {
      mistake = difference(output);
    }
    mistake.ifPresent(what -> progress.accept("INVALID: " + what));
    if (last.isPresent()) {
      shell.run("-rm", "-r", "-skipTrash", entry.cleaned(label), entry.words(label));
    }
    return new BesideRun(
        round,
        beside,
        PipelineRun.rounded(seconds),
        own == null ? null : PipelineRun.rounded(own),
        usage.count(WorkflowMetric.STEPS_SUCCEEDED),
        mistake.isEmpty());
  }

  private Path text() {
    return directory.resolveSibling(PipelineEntry.TEXT);
  }

  private double seconds(String label, JobRequest request) {
    long startNs = System.nanoTime();
    runner.runUnmeasured(label, request);
    return (System.nanoTime() - startNs) / 1e9;
  }

  /** Compares with the first run's, and leaves that alone. */
  private Optional<String> difference(Path output) throws IOException {
    Path first = directory.resolve("first");
    if (!Files.exists(first)) {
      Files.move(output, first);
      return Optional.empty();
    }
    Optional<String> difference = PartFiles.difference(first, output);
    Directories.delete(output);
    return difference;
  }
}
