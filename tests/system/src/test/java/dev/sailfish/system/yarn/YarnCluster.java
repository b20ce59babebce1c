package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Real YARN for a test: ResourceManager, NodeManager and Sailfish daemons are processes of their
 * own, with the class path that an operator would set, and {@code bin/sailfish} drives them.
 */
public final class YarnCluster {
  /** Settings of jobs that have two reduce tasks. */
  static final List<String> TWO_REDUCES = List.of("-Dmapreduce.job.reduces=2");

  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final Duration MEMORY_GIVEN_BACK = Duration.ofMinutes(2);
  private static final int TEXT_FILES = 2;
  private static final int WORDS = 150_000;

  private final Path directory;
  private final SailfishCommand sailfish;
  private final List<Path> memoryDirectories = new ArrayList<>();
  private final List<Long> pids = new ArrayList<>();
  private final Map<Integer, LineageWorker> lineageWorkers = new HashMap<>(); // by port
  private InetSocketAddress metaserver;

  private record LineageWorker(long pid, Path memory) {}

  private YarnCluster(Path directory, Map<String, String> environment) {
    this.directory = directory;
    Map<String, String> all = new HashMap<>(YarnSettings.ENVIRONMENT);
    all.putAll(environment);
    sailfish = new SailfishCommand(directory, all);
  }

  /**
   * Starts the daemons and sees that they are those that were asked for.
   *
   * @param settings further arguments of {@code sailfish start}
   */
  public static YarnCluster start(Path directory, String... settings) throws Exception {
    return start(directory, Map.of(), UnaryOperator.identity(), settings);
  }

  /**
   * The same in another environment.
   *
   * @param environment of {@code bin/sailfish}
   * @param flags makes of keys with JVM flags what this environment needs
   */
  public static YarnCluster start(
      Path directory,
      Map<String, String> environment,
      UnaryOperator<Map<String, String>> flags,
      String... settings)
      throws Exception {
    YarnCluster cluster = new YarnCluster(directory, environment);
    List<String> start =
        new ArrayList<>(List.of("start", "-Dsailfish.chunkserver.idle.release=2s"));
    if (List.of(settings).stream().noneMatch(setting -> setting.startsWith("--lineage-workers="))) {
      start.add("--lineage-workers=0");
    }
    if (!List.of(settings).contains("--web")) {
      start.add("--no-web");
    }
    flags.apply(YarnSettings.QUICK).forEach((key, value) -> start.add("-D" + key + "=" + value));
    start.addAll(List.of(settings));
    cluster.sailfish.succeed(START, start.toArray(new String[0]));
    cluster.readState();
    for (long pid : cluster.pids) {
      assertThat(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")))
          .contains(YarnSettings.FLAGS);
    }
    assertThat(cluster.succeed("status").output())
        .contains("resourcemanager", "nodemanager", "metaserver", "chunkserver-1", "chunkserver-2")
        .doesNotContain("does not tell its counters");
    return cluster;
  }

  private void readState() throws IOException {
    JsonNode state =
        new ObjectMapper().readTree(directory.resolve("cluster/cluster.json").toFile());
    state.path("memoryDirectories").forEach(path -> memoryDirectories.add(Path.of(path.asText())));
    for (JsonNode daemon : state.path("daemons")) {
      long pid = daemon.path("pid").asLong();
      pids.add(pid);
      String name = daemon.path("name").asText();
      String address = daemon.path("address").asText();
      if (name.equals("metaserver")) {
        HostPort where = HostPort.parse(address);
        metaserver = new InetSocketAddress(where.host(), where.port());
      } else if (name.startsWith("lineage-worker-")) {
        Path memory =
            memoryDirectories.stream()
                .filter(path -> path.toString().endsWith("-" + name))
                .findAny()
                .orElseThrow();
        lineageWorkers.put(HostPort.parse(address).port(), new LineageWorker(pid, memory));
      }
    }
  }

  /**
   * Stops the daemons; nothing of them may be left. Segments that were kept for reuse are given
   * back before when no job has come for {@code idle.release}.
   */
  public void stop() throws Exception {
    try {
      await()
          .atMost(MEMORY_GIVEN_BACK)
          .ignoreException(UncheckedIOException.class) // a file goes while files are listed
          .untilAsserted(() -> assertThat(memoryFiles()).allMatch(name -> name.equals("+lock")));
    } catch (ConditionTimeoutException e) {
      sailfish.run(START, List.of("stop")); // after a test that has failed, too
      throw e;
    }
    sailfish.succeed(START, "stop");
    assertThat(memoryDirectories).isNotEmpty().noneMatch(Files::exists);
    assertThat(pids).isNotEmpty();
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(pids).noneMatch(pid -> ProcessHandle.of(pid).isPresent()));
    assertThat(sailfish.run(JOB, List.of("status")).exitCode()).isNotZero();
  }

  /** Names of the files that the cluster's chunkservers have in memory. */
  private List<String> memoryFiles() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path memory : memoryDirectories.stream().filter(Files::exists).toList()) {
      try (Stream<Path> files = Files.walk(memory)) {
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
  public void awaitNoJob() throws Exception {
    try (MetaserverClient client =
        MetaserverClient.connect(metaserver, "test", credentials(), Duration.ofSeconds(30))) {
      await()
          .atMost(Duration.ofSeconds(30))
          .ignoreException(UncheckedIOException.class) // a file goes while files are listed
          .untilAsserted(
              () -> {
                assertThat(client.listJobs().getJobsList()).isEmpty();
                assertThat(memoryFiles())
                    .allMatch(name -> name.equals("+lock") || name.startsWith("+free-"));
              });
    }
  }

  /** Those of its daemons. */
  Credentials credentials() throws IOException {
    return Credentials.ofCluster(ClusterSecret.read("secret", sailfish.secret()));
  }

  /** Hadoop's own programs. */
  Path examples() {
    return sailfish.examples();
  }

  /** Runs a command, which may fail. */
  Result run(List<String> command) throws Exception {
    return sailfish.run(JOB, command);
  }

  /** Runs a command, which must not fail. */
  public Result succeed(String... command) throws Exception {
    return sailfish.succeed(JOB, command);
  }

  /**
   * Runs a job, which must not fail.
   *
   * @param before its arguments, before the output directory
   * @param settings of the job
   */
  Result run(String shuffle, Path jar, List<String> before, Path output, List<String> settings)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", shuffle));
    if (shuffle.equals("stock")) {
      // The same shuffle in one JVM: what stock does on YARN is not what is tested.
      command.add("-Dmapreduce.framework.name=local");
    }
    command.addAll(settings);
    command.add(jar.toString());
    command.addAll(before);
    command.add(output.toString());
    return succeed(command.toArray(new String[0]));
  }

  /** Runs the same job with both shuffles, and compares; returns what Sailfish's printed. */
  String compare(Path jar, String name, List<String> before, List<String> settings)
      throws Exception {
    Path stock = directory.resolve(name + "-stock");
    Path ours = directory.resolve(name + "-sailfish");
    run("stock", jar, before, stock, settings);
    String printed = run("sailfish", jar, before, ours, settings).output();
    assertThat(OutputFiles.read(ours)).isNotEmpty().isEqualTo(OutputFiles.read(stock));
    return printed;
  }

  /** A directory with two files of words. */
  Path text() throws IOException {
    Path text = directory.resolve("text");
    if (!Files.exists(text)) {
      Files.createDirectories(text);
      SplittableRandom random = new SplittableRandom(1);
      for (int file = 0; file < TEXT_FILES; file++) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < WORDS; i++) {
          words.append("word").append((int) Math.pow(random.nextInt(1, 400), 1.5));
          words.append(random.nextInt(9) == 0 ? '\n' : ' ');
        }
        Files.writeString(text.resolve("file" + file), words, StandardCharsets.UTF_8);
      }
    }
    return text;
  }

  /** The configuration directory of its daemons and clients. */
  public Path conf() {
    return directory.resolve("cluster/conf");
  }

  /** A client of its lineage store, which may do everything. */
  public StoreClient store() throws IOException {
    return store(conf(), sailfish.secret());
  }

  /**
   * A client of a cluster's lineage store, which may do everything.
   *
   * @param directory configuration of the cluster's clients
   * @param secret file of the cluster
   */
  public static StoreClient store(Path directory, Path secret) throws IOException {
    Configuration conf = new Configuration(false);
    conf.addResource(directory.resolve("core-site.xml").toUri().toURL());
    List<HostPort> masters = HostPort.parseAll(conf.get("sailfish.lineage.client.masters"));
    return new StoreClient(
        new StoreClientConfig(
            masters.stream().map(HostPort::unresolved).toList(),
            Network.SOCKETS,
            Credentials.ofCluster(ClusterSecret.read("secret", secret)),
            StoreUser.newBuilder()
                .setName(System.getProperty("user.name"))
                .setSuperuser(true)
                .build(),
            Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(30)));
  }

  /**
   * Kills a worker of its lineage store; what it has in memory is lost.
   *
   * @param port where it listens
   */
  public void loseLineageWorker(int port) throws Exception {
    LineageWorker worker = lineageWorkers.get(port);
    ProcessHandle process = ProcessHandle.of(worker.pid()).orElseThrow();
    CompletableFuture<ProcessHandle> ended = process.onExit();
    assertThat(process.destroyForcibly()).isTrue();
    ended.get(1, TimeUnit.MINUTES);
    Directories.delete(worker.memory());
  }

  /** What all containers have logged. */
  String containerLogs() throws IOException {
    return containerLogs(Instant.EPOCH);
  }

  /** What the containers have logged that have been at work since a moment. */
  public String containerLogs(Instant since) throws IOException {
    StringBuilder logs = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(YarnCluster::isLog).toList()) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
          logs.append(Files.readString(file));
        }
      }
    }
    return logs.toString();
  }

  /** Of the first task of a JVM, or of another one. */
  private static boolean isLog(Path file) {
    String name = file.getFileName().toString();
    return name.equals("syslog") || name.startsWith("syslog.attempt_");
  }
}
