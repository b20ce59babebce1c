package dev.sailfish.benchmarks.jobs;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.pipeline.LineagePipelinePlace;
import dev.sailfish.benchmarks.jobs.pipeline.PipelineEntry;
import dev.sailfish.benchmarks.jobs.pipeline.PipelinePlace;
import dev.sailfish.benchmarks.jobs.pipeline.RecordingBench;
import dev.sailfish.benchmarks.jobs.pipeline.RecordingRun;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench recording}. */
@Command(
    name = "recording",
    description = {
      "What lineage costs jobs in the lineage store: two jobs that take lines out of a text, one"
          + " right after the other, without records, with them, and with files copied below in the"
          + " background besides.",
      "Contenders take turns within each round. Exit code 0 only if every run was valid."
    })
final class RecordingCommand extends BenchCommand.Benchmark {
  private static final String PATH = "/bench-recording-" + ProcessHandle.current().pid();
  private static final List<String> CONTENDERS =
      List.of(RecordingRun.PLAIN, RecordingRun.RECORDED, RecordingRun.CHECKPOINTED);

  @Option(
      names = "--mb",
      paramLabel = "N",
      defaultValue = "200",
      description = "Megabytes of text (default: ${DEFAULT-VALUE}).")
  private int mb;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "2",
      description = "Map tasks of each job (default: ${DEFAULT-VALUE}).")
  private int maps;

  private BenchPlan plan;

  @Override
  public Integer call() throws IOException {
    if (mb < 1) {
      throw new CommandException("--mb is at least 1, not " + mb + ".");
    }
    plan = new BenchPlan(mb, maps, 0, List.of(Contender.STOCK), rounds, Codec.NONE, Map.of());
    return onCluster();
  }

  @Override
  SailfishOptions servers() {
    return SailfishOptions.withStore(SailfishOptions.DEFAULT_LINEAGE_MASTERS, Map.of());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    LocalCluster cluster = session.cluster();
    JobJars jars = JobJars.of(cluster.distribution());
    Path work = cluster.layout().bench("recording-" + ProcessHandle.current().pid());
    Path text = work.resolve(PipelineEntry.TEXT);
    Files.createDirectories(work.resolve("results"));
    new TextPipeline(plan, Contender.STOCK, jars, Map.of())
        .text(cluster.layout(), text, mb * 1_000_000L);
    try (PipelinePlace place = new LineagePipelinePlace(cluster, PATH, work.resolve("below"))) {
      place.put(text, PipelineEntry.TEXT);
      RecordingBench bench =
          new RecordingBench(
              cluster,
              runner,
              place,
              "lineage://" + PATH + "-unmounted",
              work.resolve("results"),
              this::progress);
      List<RecordingRun> runs = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        List<String> order = new ArrayList<>(CONTENDERS);
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        for (String contender : order) {
          runs.add(bench.run(contender, jobs(jars, contender), round));
        }
      }
      RecordingReport report = new RecordingReport(runs);
      show(report.table(), report.json());
      return runs.stream().allMatch(RecordingRun::valid);
    } finally {
      Directories.delete(work);
    }
  }

  private TextPipeline jobs(JobJars jars, String contender) {
    boolean records = !contender.equals(RecordingRun.PLAIN);
    return new TextPipeline(
        plan, Contender.STOCK, jars, Map.of("sailfish.lineage.record", Boolean.toString(records)));
  }
}
