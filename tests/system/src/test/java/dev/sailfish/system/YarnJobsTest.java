package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Unchanged jobs on real YARN: ResourceManager, NodeManager and Sailfish daemons are processes of
 * their own, with the class path that an operator would set, and {@code bin/sailfish} drives them.
 */
class YarnJobsTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final List<String> TWO_REDUCES = List.of("-Dmapreduce.job.reduces=2");

  /** Of a job's first map, which introduces the job. */
  private static final int MOST_MAP_CLASSES = 164;

  private static final int MOST_REDUCE_CLASSES = 158;
  private static final Duration MEMORY_GIVEN_BACK = Duration.ofMinutes(2);

  @TempDir static Path temporary;
  private static SailfishCommand sailfish;
  private static InetSocketAddress metaserver;
  private static final List<Path> memoryDirectories = new ArrayList<>();
  private static final List<Long> pids = new ArrayList<>();
  private static SortedMap<String, String> stockWordCount;

  @BeforeAll
  static void startCluster() throws Exception {
    sailfish = new SailfishCommand(temporary, YarnSettings.ENVIRONMENT);
    List<String> start =
        new ArrayList<>(List.of("start", "-Dsailfish.chunkserver.idle.release=2s"));
    start.addAll(YarnSettings.QUICK);
    sailfish.succeed(START, start.toArray(new String[0]));
    JsonNode state =
        new ObjectMapper().readTree(temporary.resolve("cluster/cluster.json").toFile());
    state.path("memoryDirectories").forEach(path -> memoryDirectories.add(Path.of(path.asText())));
    for (JsonNode daemon : state.path("daemons")) {
      pids.add(daemon.path("pid").asLong());
      if (daemon.path("name").asText().equals("metaserver")) {
        String[] address = daemon.path("address").asText().split(":");
        metaserver = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
      }
    }
    for (long pid : pids) {
      assertThat(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")))
          .contains(YarnSettings.ENVIRONMENT.values());
    }
    Result status = sailfish.succeed(JOB, "status");
    assertThat(status.output())
        .contains("resourcemanager", "nodemanager", "metaserver", "chunkserver-1", "chunkserver-2")
        .doesNotContain("does not tell its counters");
  }

  @AfterAll
  static void stopCluster() throws Exception {
    awaitMemoryGivenBack();
    sailfish.succeed(START, "stop");
    assertThat(memoryDirectories).isNotEmpty().noneMatch(Files::exists);
    assertThat(pids).isNotEmpty();
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(pids).noneMatch(pid -> ProcessHandle.of(pid).isPresent()));
    assertThat(sailfish.run(JOB, List.of("status")).exitCode()).isNotZero();
  }

  /**
   * Segments that were kept for reuse are given back when no job has come for {@code idle.release}.
   */
  private static void awaitMemoryGivenBack() {
    await()
        .atMost(MEMORY_GIVEN_BACK)
        .untilAsserted(() -> assertThat(memoryFiles()).allMatch(name -> name.equals("+lock")));
  }

  /** Names of the files that the cluster's chunkservers have in memory. */
  private static List<String> memoryFiles() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path directory : memoryDirectories) {
      try (Stream<Path> files = Files.walk(directory)) {
        files
            .filter(Files::isRegularFile)
            .forEach(file -> names.add(file.getFileName().toString()));
      }
    }
    return names;
  }

  /**
   * No chunk of any job may be left, without anybody having asked for its deletion, and no segment
   * that has a name: what is kept for reuse has none.
   */
  @AfterEach
  void everyJobShouldBeGone() throws Exception {
    Credentials cluster = Credentials.ofCluster(ClusterSecret.read("secret", sailfish.secret()));
    try (MetaserverClient client =
        MetaserverClient.connect(metaserver, "test", cluster, Duration.ofSeconds(30))) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> {
                assertThat(client.listJobs().getJobsList()).isEmpty();
                assertThat(memoryFiles())
                    .allMatch(name -> name.equals("+lock") || name.startsWith("+free-"));
              });
    }
  }

  /** Two reduces of the same words as stock makes them, which several tests compare with. */
  private SortedMap<String, String> stockWordCount() throws Exception {
    if (stockWordCount == null) {
      Path output = temporary.resolve("wordcount-stock");
      run("stock", sailfish.examples(), wordCount(), output, TWO_REDUCES);
      stockWordCount = OutputFiles.read(output);
    }
    return stockWordCount;
  }

  /** Runs the same job with both shuffles, and compares; returns what Sailfish's printed. */
  private String compare(Path jar, String name, List<String> before, List<String> after)
      throws Exception {
    Path stock = temporary.resolve(name + "-stock");
    Path ours = temporary.resolve(name + "-sailfish");
    run("stock", jar, before, stock, after);
    String printed = run("sailfish", jar, before, ours, after).output();
    assertThat(OutputFiles.read(ours)).isNotEmpty().isEqualTo(OutputFiles.read(stock));
    return printed;
  }

  private Result run(String shuffle, Path jar, List<String> before, Path output, List<String> after)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", shuffle));
    command.addAll(after);
    command.add(jar.toString());
    command.addAll(before);
    command.add(output.toString());
    return sailfish.succeed(JOB, command.toArray(new String[0]));
  }

  private static List<String> wordCount() throws IOException {
    return List.of("wordcount", text(1).toString());
  }

  private static Path text(long seed) throws IOException {
    Path directory = temporary.resolve("text-" + seed);
    if (!Files.exists(directory)) {
      Files.createDirectories(directory);
      SplittableRandom random = new SplittableRandom(seed);
      for (int file = 0; file < 3; file++) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
          text.append("word").append((int) Math.pow(random.nextInt(1, 400), 1.5));
          text.append(random.nextInt(9) == 0 ? '\n' : ' ');
        }
        Files.writeString(directory.resolve("file" + file), text, StandardCharsets.UTF_8);
      }
    }
    return directory;
  }

  @Test
  void wordCountShouldEqualStock() throws Exception {
    Path output = temporary.resolve("wordcount-sailfish");
    run("sailfish", sailfish.examples(), wordCount(), output, TWO_REDUCES);
    assertThat(OutputFiles.read(output)).isNotEmpty().isEqualTo(stockWordCount());
  }

  /** All tasks run in the ApplicationMaster, where map output is handed over as local files. */
  @Test
  void uberJobShouldEqualStock() throws Exception {
    String printed =
        compare(
            sailfish.examples(),
            "uber",
            wordCount(),
            List.of(
                "-Dmapreduce.job.ubertask.enable=true",
                "-Dmapreduce.job.reduces=1",
                "-Dmapreduce.map.memory.mb=512",
                "-Dmapreduce.reduce.memory.mb=512"));
    assertThat(printed).contains("running in uber mode : true");
  }

  /** Where one of the two classes is another one, both sides do as stock does, and say why. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mapreduce.job.map.output.collector.class=org.apache.hadoop.mapred.MapTask$MapOutputBuffer",
        "mapreduce.job.reduce.shuffle.consumer.plugin.class"
            + "=org.apache.hadoop.mapreduce.task.reduce.Shuffle"
      })
  void jobWithOneOfTheTwoClassesShouldEqualStock(String setting) throws Exception {
    Path output = temporary.resolve("one-of-two-" + Math.abs(setting.hashCode()));
    List<String> settings = new ArrayList<>(TWO_REDUCES);
    settings.add("-D" + setting);
    run("sailfish", sailfish.examples(), wordCount(), output, settings);
    assertThat(OutputFiles.read(output)).isNotEmpty().isEqualTo(stockWordCount());
    assertThat(containerLogs()).contains("local files").contains(setting + " and not dev.sailfish");
  }

  private static String containerLogs() throws IOException {
    StringBuilder logs = new StringBuilder();
    try (Stream<Path> files = Files.walk(temporary.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(path -> path.endsWith("syslog")).toList()) {
        logs.append(Files.readString(file));
      }
    }
    return logs.toString();
  }

  @Test
  void secondarySortShouldEqualStock() throws Exception {
    Path input = temporary.resolve("pairs");
    SplittableRandom random = new SplittableRandom(2);
    StringBuilder pairs = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      pairs.append(random.nextInt(-99, 99)).append(' ').append(random.nextInt(1000)).append('\n');
    }
    Files.writeString(input, pairs);
    compare(
        sailfish.examples(),
        "secondarysort",
        List.of("secondarysort", input.toString()),
        List.of("-Dmapreduce.job.reduces=2", "-Dsailfish.encrypt.at.rest=true"));
  }

  @Test
  void teraSortShouldEqualStockAndBeValid() throws Exception {
    Path input = temporary.resolve("teragen");
    sailfish.succeed(
        JOB,
        "jar",
        "-Dmapreduce.job.maps=3",
        sailfish.examples().toString(),
        "teragen",
        "300000",
        input.toString());
    compare(
        sailfish.examples(),
        "terasort",
        List.of("terasort", input.toString()),
        List.of("-Dmapreduce.job.reduces=2", "-Dfs.file.impl.disable.cache=true"));
    Path report = temporary.resolve("teravalidate");
    sailfish.succeed(
        JOB,
        "jar",
        sailfish.examples().toString(),
        "teravalidate",
        temporary.resolve("terasort-sailfish").toString(),
        report.toString());
    assertThat(OutputFiles.read(report).toString()).contains("checksum").doesNotContain("error");
  }

  @Test
  void randomJobsShouldEqualStock() throws Exception {
    compareRandomJobs(2);
  }

  @Test
  @Tag("long")
  void manyRandomJobsShouldEqualStock() throws Exception {
    compareRandomJobs(20);
  }

  private void compareRandomJobs(int jobs) throws Exception {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("YarnJobsTest seed=" + seed + " jobs=" + jobs);
    SplittableRandom random = new SplittableRandom(seed);
    Path jar = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    for (int i = 0; i < jobs; i++) {
      long jobSeed = nextOfAtMost(12, random);
      Path output = temporary.resolve("random-" + jobSeed);
      List<String> job = List.of("dev.sailfish.jobs.RandomJobMain", Long.toString(jobSeed));
      run("sailfish", jar, job, output, List.of());
      RandomJobSpec spec = RandomJobSpec.ofSeed(jobSeed);
      assertThat(OutputFiles.read(output))
          .as("%s", spec)
          .isNotEmpty()
          .isEqualTo(StockOutput.of(spec, temporary.resolve("local-" + jobSeed)));
    }
  }

  /** A seed whose job has at most so many tasks: every task is a container here. */
  private static long nextOfAtMost(int tasks, SplittableRandom random) {
    while (true) {
      long seed = random.nextLong();
      RandomJobSpec spec = RandomJobSpec.ofSeed(seed);
      if (spec.maps() + spec.reduces() <= tasks && spec.recordsPerMap() > 0) {
        return seed;
      }
    }
  }

  /** A class costs each task, so those of the client jar are counted; a JVM start is no measure. */
  @Test
  void tasksShouldLoadFewClassesOfOurs() throws Exception {
    Path report = temporary.resolve("task-start.json");
    sailfish.succeed(JOB, "bench", "task-start", "--json", report.toString());
    JsonNode starts = new ObjectMapper().readTree(report.toFile()).path("starts");
    assertThat(starts).hasSize(2);
    assertThat(starts.get(0).path("map_client_classes").asInt()).isZero();
    JsonNode ours = starts.get(1);
    assertThat(ours.path("map_client_classes").asInt()).isBetween(1, MOST_MAP_CLASSES);
    assertThat(ours.path("reduce_client_classes").asInt()).isBetween(1, MOST_REDUCE_CLASSES);
    assertThat(ours.path("reduce_classes").asInt())
        .isLessThan(starts.get(0).path("reduce_classes").asInt());
    for (String task : List.of("map", "reduce")) {
      assertThat(tlsClasses("sailfish", task))
          .as("classes of TLS in a %s task that does not speak it", task)
          .isSubsetOf(tlsClasses("stock", task));
    }
  }

  /** What a task of the job before has loaded of the JDK's TLS and of ours. */
  private static List<String> tlsClasses(String shuffle, String task) throws IOException {
    Path log = temporary.resolve("cluster/logs/classes-" + shuffle + "-1-" + task + ".log");
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).as("classes in %s", log).hasSizeGreaterThan(1000);
    return lines.stream()
        .map(line -> line.split(" |\\$\\$Lambda", 2)[0])
        .filter(
            name -> name.matches("(javax\\.net\\.ssl|sun\\.security\\.ssl|.*\\.wire\\.tls)\\..*"))
        .toList();
  }

  @Test
  void unreachableMetaserverShouldFailWithASentence() throws Exception {
    Result result = wordCountThatFails("-Dsailfish.metaserver.address=localhost:1");
    assertThat(result.output()).contains("sailfish.metaserver.address", "localhost");
  }

  @Test
  void unknownCodecShouldFailWithASentence() throws Exception {
    Result result =
        wordCountThatFails(
            "-Dmapreduce.map.output.compress=true",
            "-Dmapreduce.map.output.compress.codec=org.example.NoSuchCodec");
    assertThat(result.output())
        .contains("mapreduce.map.output.compress.codec", "NoSuchCodec", "Lz4Codec");
  }

  @Test
  void chunkSizeOutOfRangeShouldFailWithASentence() throws Exception {
    Result result = wordCountThatFails("-Dsailfish.chunk.size=5000m");
    assertThat(result.output()).contains("sailfish.chunk.size=5000m", "0 or 1m..1g");
  }

  private Result wordCountThatFails(String... settings) throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "-Dmapreduce.map.maxattempts=2"));
    command.addAll(List.of(settings));
    command.add(sailfish.examples().toString());
    command.addAll(
        List.of(
            "wordcount",
            text(1).resolve("file0").toString(),
            temporary.resolve("fails-" + Math.abs(List.of(settings).hashCode())).toString()));
    Result result = sailfish.run(JOB, command);
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertThat(result.took()).isLessThan(Duration.ofSeconds(90));
    return result;
  }
}
