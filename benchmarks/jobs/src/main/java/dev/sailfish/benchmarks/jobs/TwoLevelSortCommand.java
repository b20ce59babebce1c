package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.storage.SecondLevel;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.MergedJar;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.benchmarks.jobs.workload.StorageSort;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.HdfsProcesses;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench two-level}. */
@Command(
    name = "two-level",
    description = {
      "Hadoop's TeraSort with input and output in HDFS on the disk, in local files at the other end"
          + " of a link of so many bytes a second, and in a lineage store in front of such files;"
          + " each output checked by TeraValidate.",
      "Storages take turns within each round. Exit code 0 only if every run was valid."
    })
final class TwoLevelSortCommand extends BenchCommand.Benchmark {
  private static final List<String> DAEMON_FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC");

  @Option(names = "--mb", paramLabel = "N", required = true, description = "Megabytes of input.")
  private int mb;

  @Option(names = "--maps", paramLabel = "N", required = true, description = "Map tasks.")
  private int maps;

  @Option(names = "--reduces", paramLabel = "N", required = true, description = "Reduce tasks.")
  private int reduces;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      defaultValue = "100m",
      description = "Of the link, a second, each way (default: ${DEFAULT-VALUE}, powers of 1024).")
  private String rate;

  @Option(
      names = "--path",
      paramLabel = "URI",
      description =
          "A directory of another file system that Hadoop knows, which takes part too. Repeatable.")
  private List<String> paths = List.of();

  @Override
  public Integer call() throws IOException {
    return onCluster();
  }

  @Override
  SailfishOptions servers() {
    return SailfishOptions.withStore(SailfishOptions.DEFAULT_LINEAGE_MASTERS, Map.of());
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    BenchPlan plan =
        new BenchPlan(mb, maps, reduces, List.of(Contender.STOCK), rounds, Codec.NONE, Map.of());
    Path work = session.cluster().layout().bench("two-level-" + ProcessHandle.current().pid());
    Files.createDirectories(work);
    progress("  starting HDFS on " + work);
    String classPath = session.cluster().distribution().hadoopClassPath();
    try (HdfsProcesses hdfs =
            HdfsProcesses.start(
                work.resolve("hdfs"),
                new HdfsProcesses.Setup(1, classPath, DAEMON_FLAGS, Optional.empty()));
        SecondLevel level = SecondLevel.mount(session.cluster(), work, rate)) {
      Map<String, StorageSort> sorts = sorts(session, plan, work, hdfs.address(), level);
      if (session.isOwner()) {
        warmUp(runner, JobJars.of(session.cluster().distribution()));
      }
      List<TwoLevelRun> runs = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        List<String> order = new ArrayList<>(sorts.keySet());
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        for (String storage : order) {
          progress("round %d of %d: %s".formatted(round, rounds, storage));
          runs.add(run(runner, sorts.get(storage), storage, round, work.resolve("report")));
        }
      }
      show(table(runs), json(runs, new ArrayList<>(sorts.keySet())));
      return runs.stream().allMatch(TwoLevelRun::valid);
    } finally {
      Directories.delete(work);
    }
  }

  /** So that the first storage does not pay for what Hadoop's daemons do only once. */
  private void warmUp(MeasuredRunner runner, JobJars jars) {
    List<Contender> stock = List.of(Contender.STOCK);
    PartitionedSort small = new PartitionedSort(BenchPlan.small(1, stock), jars, false, 0);
    new Bench(List.of(small), runner, this::progress).warmUp(small);
  }

  private Map<String, StorageSort> sorts(
      ClusterSession session, BenchPlan plan, Path work, String hdfs, SecondLevel level)
      throws IOException {
    JobJars jars = JobJars.of(session.cluster().distribution());
    Path jar = work.resolve("terasort.jar");
    MergedJar.write(
        jar, List.of(jars.examples(), jars.directory().resolve("lib/sailfish-limited-fs.jar")));
    Map<String, String> bases = new LinkedHashMap<>();
    bases.put("hdfs", hdfs);
    bases.put("limited", level.limited());
    bases.put("two-level", level.twoLevels());
    paths.forEach(path -> bases.put(path, path));
    Map<String, StorageSort> sorts = new LinkedHashMap<>();
    bases.forEach(
        (name, base) ->
            sorts.put(
                name,
                new StorageSort(
                    plan,
                    jar,
                    base + "/sort-" + name.replaceAll("\\W+", "-") + "-" + work.getFileName(),
                    level.keys())));
    return sorts;
  }

  private TwoLevelRun run(
      MeasuredRunner runner, StorageSort sort, String storage, int round, Path report)
      throws IOException {
    String label = storage.replaceAll("\\W+", "-") + "-" + round;
    Measurement generated = sort.generate(runner, label, round);
    Measurement sorted = sort.sort(runner, label, round);
    Optional<String> mistake = sort.mistake(runner, label, round, sorted, report);
    mistake.ifPresent(what -> progress("  INVALID: " + what));
    return new TwoLevelRun(
        storage,
        round,
        Medians.rounded(generated.job().wallSeconds(), 1_000),
        Medians.rounded(sorted.job().mapSeconds(), 1_000),
        Medians.rounded(sorted.job().reduceSeconds(), 1_000),
        Medians.rounded(sorted.job().wallSeconds(), 1_000),
        Medians.rounded(sorted.cpuSeconds(), 1_000),
        mistake.isEmpty());
  }

  private static String table(List<TwoLevelRun> runs) {
    return Report.table(runs, TwoLevelRun.COLUMNS).render();
  }

  /** Medians of each storage, and how often HDFS's time is in its own. */
  private static ObjectNode json(List<TwoLevelRun> runs, List<String> storages) {
    ObjectNode json = Report.JSON.createObjectNode();
    json.set("runs", Report.rows(runs));
    ObjectNode summary = json.putObject("summary");
    Map<String, ToDoubleFunction<TwoLevelRun>> figures = new LinkedHashMap<>();
    figures.put("generate_s", TwoLevelRun::generateS);
    figures.put("map_s", TwoLevelRun::mapS);
    figures.put("reduce_s", TwoLevelRun::reduceS);
    figures.put("wall_s", TwoLevelRun::wallS);
    figures.put("cpu_s", TwoLevelRun::cpuS);
    for (String storage : storages) {
      ObjectNode line = summary.putObject(storage);
      figures.forEach(
          (name, figure) -> {
            double own = median(runs, storage, figure);
            line.put(name, own);
            line.put(
                name + "_speedup",
                Medians.rounded(median(runs, storages.get(0), figure) / own, 1_000));
          });
    }
    return json;
  }

  private static double median(
      List<TwoLevelRun> runs, String storage, ToDoubleFunction<TwoLevelRun> figure) {
    return Medians.median(
        runs.stream()
            .filter(run -> run.storage().equals(storage) && run.valid())
            .mapToDouble(figure));
  }
}
