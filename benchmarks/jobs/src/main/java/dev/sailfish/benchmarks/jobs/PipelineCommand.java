package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.pipeline.BesideBench;
import dev.sailfish.benchmarks.jobs.pipeline.BesideRun;
import dev.sailfish.benchmarks.jobs.pipeline.HdfsPipelinePlace;
import dev.sailfish.benchmarks.jobs.pipeline.LineagePipelinePlace;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineBench;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineContender;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineEntry;
import dev.sailfish.benchmarks.jobs.pipeline.PipelinePlace;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineRun;
import dev.sailfish.benchmarks.jobs.storage.StorageServers;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.benchmarks.jobs.workload.TextPipeline;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench pipeline}. */
@Command(
    name = "pipeline",
    description = {
      "Batches of jobs, each of which reads what the one before wrote: two clean a text, a third"
          + " counts words, and then the clean text is deleted. In HDFS on /dev/shm, and in the"
          + " lineage store with records and checkpoints.",
      "Contenders take turns within each round. Exit code 0 only if every run was valid."
    })
final class PipelineCommand extends BenchCommand.Benchmark {
  private static final String PATH = "/bench-pipeline-" + ProcessHandle.current().pid();
  private static final int WORKERS = 2;

  /**
   * Twice what local clusters have, so that a recompute has room beside a job that waits for it.
   */
  static final Map<String, String> ROOM = Map.of("yarn.nodemanager.resource.memory-mb", "10240");

  @Option(
      names = "--mb",
      paramLabel = "N",
      defaultValue = "100",
      description = "Megabytes of text for each batch (default: ${DEFAULT-VALUE}).")
  private int mb;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "2",
      description = "Map tasks of each job (default: ${DEFAULT-VALUE}).")
  private int maps;

  @Option(
      names = "--batches",
      paramLabel = "N",
      defaultValue = "3",
      description = "Batches of three jobs (default: ${DEFAULT-VALUE}).")
  private int batches;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "WHO",
      defaultValue = "hdfs1,hdfs3,lineage",
      description =
          "Out of hdfs1 and hdfs3, HDFS with one DataNode and with three and as many copies;"
              + " lineage, the lineage store; and sailfish, the same with Sailfish's shuffle and"
              + " ApplicationMaster and tasks that share JVMs (default: ${DEFAULT-VALUE}). Others"
              + " are compared with the first.")
  private List<PipelineContender> contenders;

  @Option(
      names = "--fail",
      description =
          "Run the batches a second time, and have clean text of the middle one lost before its"
              + " words are counted: a worker of the lineage store is killed; with one copy in HDFS"
              + " the batch begins again; with three nothing is lost.")
  private boolean fail;

  @Option(
      names = "--checkpoint-cleaned",
      description =
          "Clean text is copied below like all else; without it, it is declared temporary, and"
              + " memory alone has it.")
  private boolean checkpointCleaned;

  @Option(
      names = "--beside",
      description =
          "Also run a job that needs nothing of the store, in the turns of lineage: alone, beside a"
              + " job that reads clean text, and beside one whose clean text is lost and"
              + " recomputed.")
  private boolean beside;

  private BenchPlan plan;

  @Override
  public Integer call() throws IOException {
    if (mb < 1 || batches < 1) {
      throw new CommandException(
          "--mb and --batches are at least 1, not %d and %d.".formatted(mb, batches));
    }
    if (contenders.isEmpty()) {
      throw new CommandException("--contenders names none.");
    }
    plan = new BenchPlan(mb, maps, maps, List.of(Contender.STOCK), rounds, Codec.NONE, Map.of());
    return onCluster();
  }

  @Override
  SailfishOptions servers() {
    Map<String, String> keys = new HashMap<>();
    keys.put(
        "sailfish.workflow.temporary",
        Arrays.stream(PipelineContender.values())
            .filter(PipelineContender::isLineage)
            .map(contender -> path(contender) + "/cleaned")
            .collect(Collectors.joining(",")));
    if (!checkpointCleaned) {
      keys.put("sailfish.lineage.master.temporary", "_temporary,cleaned");
    }
    return new SailfishOptions(
        SailfishOptions.DEFAULT_METASERVERS,
        1,
        SailfishOptions.DEFAULT_LINEAGE_MASTERS,
        WORKERS,
        keys);
  }

  private static String path(PipelineContender contender) {
    return PATH + "-" + contender;
  }

  @Override
  Map<String, String> hadoop() {
    return ROOM;
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    requireOwn(session);
    LocalCluster cluster = session.cluster();
    JobJars jars = JobJars.of(cluster.distribution());
    Path work = cluster.layout().bench("pipeline-" + ProcessHandle.current().pid());
    texts(cluster, new TextPipeline(plan, Contender.STOCK, jars, Map.of()), work);
    try (StorageServers servers = new StorageServers(cluster, this::progress)) {
      warmUp(runner, jars);
      List<PipelineEntry> entries = new ArrayList<>();
      for (PipelineContender contender : contenders) {
        PipelinePlace place = place(contender, servers, cluster, work);
        place.put(work.resolve(PipelineEntry.TEXT), PipelineEntry.TEXT);
        place.put(work.resolve(PipelineEntry.NULL_TEXT), PipelineEntry.NULL_TEXT);
        entries.add(
            new PipelineEntry(
                contender, place, new TextPipeline(plan, contender.jobs(), jars, place.keys())));
      }
      PipelineReport report = run(cluster, runner, entries, work);
      for (PipelineEntry entry : entries) {
        entry.place().close();
      }
      show(report.table(), report.json());
      return report.allValid();
    } finally {
      Directories.delete(work);
    }
  }

  /** What the daemons are told cannot be told to those that run. */
  static void requireOwn(ClusterSession session) {
    if (!session.isOwner()) {
      throw new CommandException(
          "This needs a cluster of its own: stop the one that runs, or name another --dir.");
    }
  }

  private void texts(LocalCluster cluster, TextPipeline jobs, Path work) throws IOException {
    Files.createDirectories(work.resolve("results"));
    Files.createDirectories(work.resolve("other"));
    jobs.text(cluster.layout(), work.resolve(PipelineEntry.TEXT), mb * 1_000_000L);
    jobs.text(cluster.layout(), work.resolve(PipelineEntry.NULL_TEXT), maps);
  }

  private void warmUp(MeasuredRunner runner, JobJars jars) {
    List<Contender> all = contenders.stream().map(PipelineContender::jobs).distinct().toList();
    PartitionedSort small = new PartitionedSort(BenchPlan.small(1, all), jars, false, 0);
    new Bench(List.of(small), runner, this::progress).warmUp(small);
  }

  private PipelinePlace place(
      PipelineContender contender, StorageServers servers, LocalCluster cluster, Path work)
      throws IOException {
    return switch (contender) {
      case HDFS1 -> new HdfsPipelinePlace(servers.hdfs(1), 1, cluster);
      case HDFS3 -> new HdfsPipelinePlace(servers.hdfs(3), 3, cluster);
      case LINEAGE, SAILFISH ->
          new LineagePipelinePlace(cluster, path(contender), work.resolve("below-" + contender));
    };
  }

  private PipelineReport run(
      LocalCluster cluster, MeasuredRunner runner, List<PipelineEntry> entries, Path work)
      throws IOException {
    PipelineBench bench =
        new PipelineBench(cluster, runner, work.resolve("results"), this::progress);
    List<PipelineRun> runs = new ArrayList<>();
    List<BesideRun> besides = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<PipelineEntry> order = new ArrayList<>(entries);
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (PipelineEntry entry : order) {
        runs.addAll(bench.round(entry, round, batches, fail));
        if (beside && entry.contender() == PipelineContender.LINEAGE) {
          TextPipeline other =
              new TextPipeline(plan, Contender.STOCK, entry.jobs().jars(), Map.of());
          besides.addAll(
              new BesideBench(cluster, runner, entry, other, work.resolve("other"), this::progress)
                  .round(round));
        }
      }
    }
    return new PipelineReport(
        runs, besides, contenders.stream().map(Object::toString).toList(), checkpointCleaned);
  }
}
