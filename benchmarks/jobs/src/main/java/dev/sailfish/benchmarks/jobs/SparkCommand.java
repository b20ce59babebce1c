package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.spark.SparkApplications;
import dev.sailfish.localcluster.ClusterSession;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.SailfishOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish bench spark}. */
@Command(
    name = "spark",
    description = {
      "Spark counts lines and words of a text: in the lineage store and behind a link of so many"
          + " bytes a second; and brought into the store once, beside Spark's own caches. The last"
          + " lines say which rules of thumb that reproduces.",
      "Contenders take turns within each round, each time in an application of its own. Exit code 0"
          + " only if every count was right."
    })
final class SparkCommand extends BenchCommand.Benchmark {
  private static final List<String> WORKS = List.of("lines", "words");

  /** The store keeps a tenth of its memory free, and segments are not full to the last byte. */
  private static final double USABLE = 0.85;

  @Option(
      names = "--spark",
      paramLabel = "DIR",
      defaultValue = "target/spark/4.1.4",
      description = "Where bin/spark-submit is (default: ${DEFAULT-VALUE}, of .ci/spark).")
  private Path home;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      defaultValue = "256",
      description = "Memory of the store's worker (default: ${DEFAULT-VALUE}).")
  private int memoryMb;

  @Option(
      names = "--heap",
      paramLabel = "MB",
      defaultValue = "768",
      description = "Heap of Spark (default: ${DEFAULT-VALUE}).")
  private int heapMb;

  @Option(
      names = "--rate",
      paramLabel = "SIZE",
      defaultValue = "100m",
      description = "Bytes a second of the link to the second level (default: ${DEFAULT-VALUE}).")
  private String rate;

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "X",
      defaultValue = "0.5,1,2",
      description =
          "Text for the levels, in parts of the store's memory (default: ${DEFAULT-VALUE});"
              + " what the store has no room for is read from the second level. 0: no levels.")
  private List<Double> sizes;

  @Option(
      names = "--objects",
      split = ",",
      paramLabel = "MB",
      defaultValue = "64,1",
      description = "Sizes of files (default: ${DEFAULT-VALUE}).")
  private List<Integer> objects;

  @Option(
      names = "--works",
      split = ",",
      paramLabel = "WORK",
      defaultValue = "lines,words",
      description = "What is counted, lines or words (default: ${DEFAULT-VALUE}).")
  private List<String> works;

  @Option(
      names = "--cache-mb",
      split = ",",
      paramLabel = "MB",
      defaultValue = "64,200",
      description = "Text for the caches (default: ${DEFAULT-VALUE}). 0: no caches.")
  private List<Integer> cacheMb;

  @Option(
      names = "--caches",
      split = ",",
      paramLabel = "WHO",
      defaultValue = "lineage,MEMORY_ONLY,MEMORY_ONLY_SER",
      description =
          "The store, and storage levels of Spark (default: ${DEFAULT-VALUE}); besides DISK_ONLY"
              + " and OFF_HEAP, for example.")
  private List<String> caches;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "2",
      description = "Jobs of an application, of which the median counts (default: 2).")
  private int times;

  private Path memory;

  @Override
  public Integer call() throws IOException {
    if (!WORKS.containsAll(works)) {
      throw new CommandException("--works are out of lines and words, not " + works + ".");
    }
    int usable = usableMb();
    if (cacheMb.stream().anyMatch(mb -> mb > usable)) {
      throw new CommandException(
          "--cache-mb is at most %d, what a store of %d MB has room for: not %s."
              .formatted(usable, memoryMb, cacheMb));
    }
    memory = Path.of("/dev/shm/sailfish-bench-spark-" + ProcessHandle.current().pid());
    // The worker's own directory the cluster deletes itself; this one also when it is interrupted.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Directories.delete(memory)));
    return onCluster();
  }

  private int usableMb() {
    return (int) (memoryMb * USABLE);
  }

  @Override
  SailfishOptions servers() {
    return SailfishOptions.withStore(
        SailfishOptions.DEFAULT_LINEAGE_MASTERS,
        Map.of(
            "sailfish.lineage.worker.dirs",
            "%s:disktype=MEM:capacity=%dm".formatted(memory, memoryMb)));
  }

  @Override
  boolean measure(ClusterSession session, MeasuredRunner runner) throws IOException {
    if (!session.isOwner()) {
      throw new CommandException(
          "This needs a cluster of its own, with so much memory: stop the one that runs, or name"
              + " another --dir.");
    }
    Path work = session.cluster().layout().bench("spark");
    Distribution distribution = session.cluster().distribution();
    SparkApplications spark =
        new SparkApplications(
            home,
            work,
            session.cluster().layout().conf(),
            List.of(
                distribution.clientJar(),
                distribution
                    .root()
                    .resolve("benchmarks/jobs/target/dist/lib/sailfish-limited-fs.jar")));
    spark.set("spark.driver.memory", heapMb + "m");
    spark.set("spark.hadoop.fs.limited.impl", "dev.sailfish.benchmarks.limited.LimitedFileSystem");
    spark.set("spark.hadoop.fs.limited.rate", rate);
    List<SparkRun> runs = new ArrayList<>();
    try (SparkBench bench = new SparkBench(spark, work.resolve("second"), this::progress)) {
      for (int object : objects) {
        for (double size : sizes) {
          runs.addAll(levels(bench, (int) (size * memoryMb), object));
        }
      }
      for (int mb : cacheMb) {
        runs.addAll(caches(bench, mb));
      }
    }
    report(runs);
    return runs.stream().allMatch(SparkRun::valid);
  }

  private List<SparkRun> levels(SparkBench bench, int mb, int object) throws IOException {
    List<SparkRun> runs = new ArrayList<>();
    if (mb == 0) {
      return runs;
    }
    bench.text(mb, usableMb(), object);
    bench.load();
    for (int round = 1; round <= rounds; round++) {
      for (String contender : List.of(SparkBench.STORE, SparkBench.SECOND)) {
        runs.addAll(bench.level(contender, works, times, round));
      }
    }
    return runs;
  }

  private List<SparkRun> caches(SparkBench bench, int mb) throws IOException {
    List<SparkRun> runs = new ArrayList<>();
    if (mb == 0) {
      return runs;
    }
    bench.text(mb, mb, Math.min(mb, objects.get(0)));
    for (int round = 1; round <= rounds; round++) {
      for (String contender : caches) {
        runs.add(bench.cache(contender, times, memoryMb, round));
      }
    }
    return runs;
  }

  private void report(List<SparkRun> runs) {
    SparkReport report = new SparkReport(runs, memoryMb);
    ObjectNode json = Report.JSON.createObjectNode();
    json.putObject("asked_for")
        .put("memory_mb", memoryMb)
        .put("heap_mb", heapMb)
        .put("rate", rate)
        .put("spark", home.getFileName().toString());
    json.setAll(report.json());
    show(report.table(), json);
  }
}
