package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.benchmarks.jobs.measure.Reading;
import dev.sailfish.benchmarks.jobs.measure.Span;
import dev.sailfish.benchmarks.jobs.storage.StoreMount;
import dev.sailfish.lineage.master.LineageMasterMetric;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.workflow.WorkflowMetric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lineage store, with local files mounted for checkpoints. It loses the worker that has most in
 * memory, with its memory and its disk; an empty one takes its place.
 */
public final class LineagePipelinePlace implements PipelinePlace {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final List<LineageMasterMetric> UNDER_WAY =
      List.of(
          LineageMasterMetric.OUTPUTS_LOST,
          LineageMasterMetric.CHECKPOINT_FILES,
          LineageMasterMetric.CHECKPOINTS_COPYING,
          LineageMasterMetric.DEPENDENCIES_GROWING);

  private final LocalCluster cluster;
  private final Path below;
  private final StoreMount mount;

  /**
   * @param path in the store, which is the mount's
   * @param below directory for the files of the mount
   */
  public LineagePipelinePlace(LocalCluster cluster, String path, Path below) throws IOException {
    this.cluster = cluster;
    this.below = below;
    Files.createDirectories(below);
    this.mount = StoreMount.add(cluster, path, below.toUri() + " read=mixed");
  }

  @Override
  public String base() {
    return mount.uri();
  }

  @Override
  public Map<String, String> keys() {
    return Map.of();
  }

  /** Below, and then in memory. */
  @Override
  public void put(Path text, String name) throws IOException {
    Path directory = Files.createDirectories(below.resolve(name));
    try (Stream<Path> files = Files.list(text)) {
      for (Path file : files.sorted().toList()) {
        Files.copy(file, directory.resolve(file.getFileName()));
        mount.load(name + "/" + file.getFileName());
      }
    }
  }

  @Override
  public double ownCpuSeconds() {
    return 0;
  }

  @Override
  public double cpuSeconds(Span.Usage usage) {
    return usage.all().cpuSeconds();
  }

  @Override
  public AfterLoss lose(Span span) {
    DaemonRecord fullest =
        cluster.state().lineageWorkers().stream()
            .max(Comparator.comparing(this::memoryUsed))
            .orElseThrow(() -> new CommandException("The lineage store has no worker."));
    span.beforeKill(fullest);
    cluster.lose(fullest);
    cluster.startAgain(fullest);
    return AfterLoss.GOES_ON;
  }

  private long memoryUsed(DaemonRecord worker) {
    return Reading.ofSailfish(worker, cluster.layout())
        .counts()
        .get(LineageWorkerMetric.MEMORY_USED_BYTES);
  }

  /** Until nothing is lost, all is below that is to be, and the records of all jobs are sealed. */
  @Override
  public void settle() {
    new Await(PATIENCE, POLL)
        .until(
            () -> underWay().isEmpty(),
            () ->
                "The lineage store is not at rest after %d min: %s."
                    .formatted(PATIENCE.toMinutes(), underWay()));
  }

  private Map<LineageMasterMetric, Long> underWay() {
    Map<LineageMasterMetric, Long> counts = new EnumMap<>(LineageMasterMetric.class);
    for (DaemonRecord master : cluster.state().lineageMasters()) {
      Reading reading = Reading.ofSailfish(master, cluster.layout());
      for (LineageMasterMetric metric : UNDER_WAY) {
        long count = reading.counts().get(metric);
        if (count > 0) {
          counts.merge(metric, count, Long::sum);
        }
      }
    }
    return counts;
  }

  @Override
  public Optional<String> mistakeOfLoss(Span.Usage usage) {
    return usage.count(WorkflowMetric.STEPS_SUCCEEDED) > 0
        ? Optional.empty()
        : Optional.of("nothing was recomputed: the worker had nothing that was needed again");
  }

  @Override
  public void close() throws IOException {
    mount.close();
  }
}
