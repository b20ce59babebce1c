package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Span;
import dev.sailfish.benchmarks.jobs.workload.PartFiles;
import dev.sailfish.lineage.master.LineageMasterMetric;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.workflow.WorkflowMetric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The pipeline of one contender, batch after batch. For one thread. */
public final class PipelineBench {
  private static final double MB = 1e6;

  private final LocalCluster cluster;
  private final MeasuredRunner runner;
  private final Path results;
  private final Consumer<String> progress;
  private final FileShell shell;

  /**
   * @param runner on that cluster
   * @param results directory for the words that runs have counted, which are compared
   * @param progress receives a line for each step
   */
  public PipelineBench(
      LocalCluster cluster, MeasuredRunner runner, Path results, Consumer<String> progress) {
    this.cluster = cluster;
    this.runner = runner;
    this.results = results;
    this.progress = progress;
    this.shell = new FileShell(cluster);
  }

  /** One round of a contender: the null batch, the batches, and those with a loss if asked for. */
  public List<PipelineRun> round(PipelineEntry entry, int round, int batches, boolean withLoss)
      throws IOException {
    PipelineRun nullBatch = run(entry, PipelineEntry.NULL_TEXT, round, 1, false);
    List<PipelineRun> runs = new ArrayList<>();
    runs.add(run(entry, PipelineEntry.TEXT, round, batches, false).above(nullBatch));
    if (withLoss) {
      runs.add(run(entry, PipelineEntry.TEXT, round, batches, true).above(nullBatch));
    }
    return runs;
  }

  private PipelineRun run(
      PipelineEntry entry, String text, int round, int batches, boolean withLoss)
      throws IOException {
    String run =
        "%s-%s-%d%s".formatted(entry.contender(), text, round, withLoss ? "-with-loss" : "");
    progress.accept(run + ": " + batches + " batches");
    List<String> tags = new ArrayList<>();
    Optional<String> mistake = Optional.empty();
    PipelinePlace place = entry.place();
    Span span = Span.begin(cluster);
    double ownCpu = place.ownCpuSeconds();
    long startNs = System.nanoTime();
    try {
      for (int batch = 1; batch <= batches; batch++) {
        boolean loses = withLoss && batch == (batches + 1) / 2;
        batch(entry, text, run + "-" + batch, loses ? Optional.of(span) : Optional.empty(), tags);
      }
    } catch (CommandException e) {
      mistake = Optional.of(e.getMessage());
    }
    double wall = (System.nanoTime() - startNs) / 1e9;
    place.settle();
    Span.Usage usage = span.end();
    double cpu = place.cpuSeconds(usage) + place.ownCpuSeconds() - ownCpu;
    if (mistake.isEmpty()) {
      mistake = difference(entry, text, run, batches);
    }
    if (withLoss) {
      mistake = mistake.or(() -> place.mistakeOfLoss(usage));
    }
    mistake.ifPresent(what -> progress.accept("INVALID: " + what));
    Double written = mistake.isPresent() ? null : PipelineRun.rounded(writtenMb(tags));
    return new PipelineRun(
        entry.contender().toString(),
        round,
        withLoss,
        batches,
        tags.size(),
        PipelineRun.rounded(wall),
        PipelineRun.rounded(cpu),
        0,
        0,
        written,
        written == null ? null : 2 * written,
        usage.count(LineageMasterMetric.CHECKPOINTED_BYTES) / MB,
        usage.count(LineageMasterMetric.CHECKPOINT_SPARED_BYTES) / MB,
        usage.count(WorkflowMetric.STEPS_SUCCEEDED),
        mistake.isEmpty());
  }

  private double writtenMb(List<String> tags) {
    return tags.stream().mapToLong(tag -> runner.metrics(tag).counter("BYTES_WRITTEN")).sum() / MB;
  }

  /** Cleans a text, counts its words, and deletes what was cleaned. */
  private void batch(
      PipelineEntry entry, String text, String batch, Optional<Span> loss, List<String> tags) {
    String last = entry.clean(runner, text, batch, tags::add);
    if (loss.isPresent()
        && entry.place().lose(loss.get()) == PipelinePlace.AfterLoss.BEGINS_AGAIN) {
      delete(entry.cleaned(batch));
      last = entry.clean(runner, text, batch, tags::add);
    }
    tags.add(runner.runUnmeasured(batch + "-words", entry.jobs().count(last, entry.words(batch))));
    delete(entry.cleaned(batch));
  }

  private void delete(String directory) {
    shell.run("-rm", "-r", "-skipTrash", directory);
  }

  /** Compares the words of all batches with the first ones of this text, and deletes them. */
  private Optional<String> difference(PipelineEntry entry, String text, String run, int batches)
      throws IOException {
    Path first = results.resolve(text);
    Path words = results.resolve("words");
    Optional<String> difference = Optional.empty();
    for (int batch = 1; batch <= batches; batch++) {
      shell.run("-get", entry.words(run + "-" + batch), words.toUri().toString());
      if (!Files.exists(first)) {
        Files.move(words, first);
      } else {
        difference = difference.isPresent() ? difference : PartFiles.difference(first, words);
        Directories.delete(words);
      }
      delete(entry.words(run + "-" + batch));
    }
    return difference;
  }
}
