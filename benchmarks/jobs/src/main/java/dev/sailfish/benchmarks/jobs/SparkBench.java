package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sailfish.benchmarks.jobs.spark.SparkApplications;
import dev.sailfish.benchmarks.jobs.spark.WordFiles;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

/**
 * One text, which lies on the second level and as far as it fits in the store too, and applications
 * that count it.
 */
final class SparkBench implements Closeable {
  /** Levels: all that fits is in the store. */
  static final String STORE = "store";

  /** Levels: nothing is in the store. */
  static final String SECOND = "second";

  /** Caches: a copy in the store. */
  static final String LINEAGE = "lineage";

  private static final String WORDS = "words";
  private static final String OFF_HEAP = "OFF_HEAP";
  private static final String IN_STORE = "lineage:///bench-spark";
  private static final int SEED = 20;
  private static final int WARM_UP_BYTES = 4_000_000;
  private static final int MB = 1_000_000;

  private final SparkApplications spark;
  private final Path local;
  private final Consumer<String> progress;
  private WordFiles text;
  private int mb;
  private int objectMb;
  private boolean hasFar;

  /**
   * @param local directory for the second level
   */
  SparkBench(SparkApplications spark, Path local, Consumer<String> progress) throws IOException {
    this.spark = spark;
    this.local = local;
    this.progress = progress;
    Directories.delete(local);
    new WordFiles(SEED).write(local.resolve("warm-up"), 1, WARM_UP_BYTES);
  }

  /**
   * Makes the text.
   *
   * @param mb all of it
   * @param nearMb what the store has room for
   * @param objectMb size of a file
   */
  void text(int mb, int nearMb, int objectMb) throws IOException {
    int near = Math.min(mb, nearMb) / objectMb;
    int far = mb / objectMb - near;
    progress.accept("%d MB of text in files of %d MB".formatted(mb, objectMb));
    Directories.delete(local.resolve("near"));
    Directories.delete(local.resolve("far"));
    text = new WordFiles(SEED);
    text.write(local.resolve("near"), near, (long) objectMb * MB);
    hasFar = far > 0;
    if (hasFar) {
      text.write(local.resolve("far"), far, (long) objectMb * MB);
    }
    this.mb = (near + far) * objectMb;
    this.objectMb = objectMb;
  }

  /** Copies into the store what it has room for, in place of what was there. */
  void load() throws IOException {
    spark.run(List.of("copy", second("near"), IN_STORE));
  }

  /** Counts the text where it is, in one application. */
  List<SparkRun> level(String contender, List<String> works, int times, int round)
      throws IOException {
    List<String> command = count(works, times);
    command.add(contender.equals(STORE) ? IN_STORE : second("near"));
    if (hasFar) {
      command.add(second("far"));
    }
    return run("levels", contender, works, round, command);
  }

  /**
   * Counts words of text that was brought into a cache first.
   *
   * @param contender {@link #LINEAGE}, or a storage level of Spark
   * @param offHeapMb memory for that level
   */
  SparkRun cache(String contender, int times, int offHeapMb, int round) throws IOException {
    List<String> works = List.of(WORDS);
    List<String> command = count(works, times);
    command.addAll(
        contender.equals(LINEAGE) ? List.of("--fill", IN_STORE) : List.of("--cache", contender));
    command.add(second("near"));
    boolean offHeap = contender.equals(OFF_HEAP);
    spark.set("spark.memory.offHeap.enabled", offHeap ? "true" : null);
    spark.set("spark.memory.offHeap.size", offHeap ? offHeapMb + "m" : null);
    try {
      return run("caches", contender, works, round, command).get(0);
    } finally {
      spark.set("spark.memory.offHeap.enabled", null);
      spark.set("spark.memory.offHeap.size", null);
    }
  }

  private List<String> count(List<String> works, int times) {
    return new ArrayList<>(
        List.of(
            "count",
            "--works",
            String.join(",", works),
            "--times",
            Integer.toString(times),
            "--warm-up",
            local.resolve("warm-up").toUri().toString()));
  }

  private String second(String part) {
    return "limited://" + local.resolve(part);
  }

  private List<SparkRun> run(
      String experiment, String contender, List<String> works, int round, List<String> command)
      throws IOException {
    progress.accept(
        "  round %d: %s, %d MB, files of %d MB".formatted(round, contender, mb, objectMb));
    JsonNode said;
    try {
      said = spark.run(command);
    } catch (CommandException e) {
      progress.accept(e.getMessage());
      said = MissingNode.getInstance();
    }
    List<SparkRun> runs = new ArrayList<>();
    for (String work : works) {
      runs.add(run(experiment, contender, work, round, said));
    }
    return runs;
  }

  private SparkRun run(String experiment, String contender, String work, int round, JsonNode said) {
    JsonNode job = said.path(work);
    if (job.isMissingNode()) {
      return new SparkRun(
          experiment, contender, work, mb, objectMb, round, null, null, null, null, false);
    }
    double seconds =
        Medians.median(
            StreamSupport.stream(job.path("seconds").spliterator(), false)
                .mapToDouble(JsonNode::asDouble));
    return new SparkRun(
        experiment,
        contender,
        work,
        mb,
        objectMb,
        round,
        experiment.equals("caches") ? said.path("fill_s").asDouble() : null,
        seconds,
        Medians.rounded(mb / seconds, 10),
        job.path("gc_s").asDouble(),
        job.path("found").asText().equals(expected(work)));
  }

  private String expected(String work) {
    return work.equals(WORDS) ? text.words() + "/" + text.distinct() : Long.toString(text.lines());
  }

  @Override
  public void close() {
    Directories.delete(local);
  }
}
