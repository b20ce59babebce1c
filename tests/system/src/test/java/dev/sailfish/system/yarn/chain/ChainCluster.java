package dev.sailfish.system.yarn.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.system.yarn.ClusterFile;
import dev.sailfish.system.yarn.YarnCluster;
import dev.sailfish.system.yarn.YarnSettings;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A cluster of {@code bin/sailfish start} with three lineage masters, three workers and a workflow
 * manager, which are killed and started again. For one thread.
 */
final class ChainCluster {
  /** For a command, and for each wait. */
  static final Duration DEADLINE = Duration.ofMinutes(4);

  /** For jobs that wait for each other, and for what is lost meanwhile. */
  static final Duration CHAIN = Duration.ofMinutes(10);

  private static final int WORKERS = 3;
  private static final int MASTERS = 3;

  /** How long after a worker's death it may take until what it had counts as lost. */
  private static final Duration LOSS = Duration.ofSeconds(30);

  private static final List<String> SETTINGS =
      List.of(
          "--lineage-masters=" + MASTERS,
          "--lineage-workers=" + WORKERS,
          "-Dsailfish.chunkserver.idle.release=2s",
          "-Dsailfish.lineage.worker.warm=0",
          "-Dsailfish.lineage.worker.idle.release=2s",
          "-Dsailfish.lineage.master.worker.lease=8s",
          "-Dsailfish.lineage.master.client.lease=15s",
          // So that copies below last for some time.
          "-Dsailfish.lineage.master.checkpoint.bandwidth=64k",
          "-Dsailfish.lineage.master.checkpoint.retry=1s",
          "-Dsailfish.workflow.retry.first=1s");

  private final SailfishCommand sailfish;
  private final Path home;
  private final ClusterFile file;
  private final Map<DaemonProcess, RestClient> webs = new HashMap<>();
  private final List<DaemonProcess> masters = new ArrayList<>();
  private final List<DaemonProcess> workers = new ArrayList<>();
  private final List<DaemonProcess> chunkservers = new ArrayList<>();
  private InetSocketAddress metaserver;
  private DaemonProcess manager;
  private RestClient resourceManager;
  private StoreClient client;

  private ChainCluster(Path work) {
    sailfish = new SailfishCommand(work, YarnSettings.ENVIRONMENT);
    home = work.resolve("cluster");
    file = new ClusterFile(home);
  }

  /** Starts it; logs stay in the directory. */
  static ChainCluster start(Path work, String... settings) throws Exception {
    ChainCluster cluster = new ChainCluster(work);
    List<String> start = new ArrayList<>(List.of("start", "--no-web"));
    start.addAll(SETTINGS);
    start.addAll(YarnSettings.quick());
    if (List.of(settings).stream().noneMatch(setting -> setting.startsWith("--chunkservers="))) {
      start.add("--chunkservers=1");
    }
    start.addAll(List.of(settings));
    cluster.sailfish.succeed(DEADLINE, start.toArray(new String[0]));
    boolean good = false;
    try {
      cluster.takeOver();
      good = true;
      return cluster;
    } finally {
      if (!good) {
        cluster.sailfish.run(DEADLINE, List.of("stop"));
      }
    }
  }

  private void takeOver() throws IOException {
    for (JsonNode record : file.daemons()) {
      String name = record.path("name").asText();
      if (name.startsWith("lineage-master")) {
        masters.add(takeOver(record));
      } else if (name.startsWith("lineage-worker")) {
        workers.add(takeOver(record));
      } else if (name.equals("workflow")) {
        manager = takeOver(record);
      } else if (name.startsWith("chunkserver")) {
        chunkservers.add(takeOver(record));
      } else if (name.equals("metaserver")) {
        HostPort place = HostPort.parse(record.path("address").asText());
        metaserver = new InetSocketAddress(place.host(), place.port());
      } else if (name.equals("resourcemanager")) {
        resourceManager = new RestClient(record.path("web").asText());
      }
    }
    assertThat(masters).hasSize(MASTERS);
    assertThat(workers).hasSize(WORKERS);
    client = YarnCluster.store(home.resolve("conf"), sailfish.secret());
  }

  private DaemonProcess takeOver(JsonNode record) throws IOException {
    RestClient web = new RestClient(record.path("web").asText());
    DaemonProcess daemon = ClusterFile.process(record, () -> serves(web));
    webs.put(daemon, web);
    return daemon;
  }

  private static boolean serves(RestClient web) {
    String beats = "sailfish_lineage_worker_heartbeats_total";
    return web.get("/status")
        .map(status -> status.path("metrics"))
        .map(metrics -> !metrics.has(beats) || metrics.path(beats).asLong() > 0)
        .orElse(false);
  }

  private long metric(DaemonProcess daemon, String name) {
    return webs.get(daemon)
        .get("/status")
        .map(status -> status.path("metrics").path(name).asLong())
        .orElse(0L);
  }

  /** Of the manager's present life. */
  long managerMetric(String name) {
    return metric(manager, "sailfish_workflow_" + name);
  }

  StoreClient client() {
    return client;
  }

  SailfishCommand sailfish() {
    return sailfish;
  }

  /** What YARN says of the applications that have run for a lineage record. */
  List<JsonNode> recomputes(long dependency) {
    return resourceManager.elements(
        "/ws/v1/cluster/apps?applicationTags=sailfish-recompute-" + dependency, "/apps/app");
  }

  /**
   * Runs the jobs of {@code ChainMain}.
   *
   * @param settings before the program's arguments
   * @param in what the first one reads
   * @param outputs of as many jobs
   */
  Result chain(String shuffle, List<String> settings, String in, List<String> outputs)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", shuffle));
    command.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    command.add("dev.sailfish.jobs.ChainMain");
    command.add("-Dmapreduce.job.reduces=2");
    command.addAll(settings);
    command.add(in);
    command.addAll(outputs);
    Result result = sailfish.run(CHAIN, command);
    assertThat(result.exitCode()).as("%s: %s", outputs, result.output()).isZero();
    return result;
  }

  /** What the jobs make on a local file system, of a text there. */
  List<Path> local(Path text, List<String> names) throws Exception {
    List<Path> directories =
        names.stream().map(name -> home.resolveSibling("expected").resolve(name)).toList();
    List<String> outputs = directories.stream().map(path -> path.toUri().toString()).toList();
    List<String> settings = List.of("-Dmapreduce.framework.name=local");
    chain("stock", settings, text.toUri().toString(), outputs);
    return directories;
  }

  /** Whether that is going on now. */
  boolean isIn(Phase phase) throws IOException {
    return switch (phase) {
      case WRITE -> isWriting();
      case CHECKPOINT -> isCheckpointing();
      case QUIET -> true;
      case RECOMPUTE -> managerMetric("steps_running") > 0;
    };
  }

  private boolean isWriting() throws IOException {
    List<Long> growing = new ArrayList<>();
    client.lineage().growing(record -> growing.add(record.getId()));
    for (long id : growing) {
      if (client.lineage().get(id).getOutputsList().stream()
          .map(DependencyOutput::getState)
          .anyMatch(OutputState.OUTPUT_PENDING::equals)) {
        return true;
      }
    }
    return false;
  }

  private boolean isCheckpointing() throws IOException {
    List<Long> waiting = new ArrayList<>();
    client.lineage().checkpoints(1, entry -> waiting.add(entry.getFid()));
    return !waiting.isEmpty();
  }

  /** The lost files that somebody may read, given up or not. */
  List<LostFile> lost() throws IOException {
    List<LostFile> lost = new ArrayList<>();
    client.lineage().lost(lost::add);
    return lost;
  }

  /** Waits until files are lost; says whether some are. */
  boolean awaitLoss() throws IOException {
    long endNs = System.nanoTime() + LOSS.toNanos();
    await().atMost(DEADLINE).until(() -> !lost().isEmpty() || System.nanoTime() > endNs);
    return !lost().isEmpty();
  }

  private DaemonProcess leader() {
    return await("a master leads")
        .atMost(DEADLINE)
        .until(
            () ->
                masters.stream()
                    .filter(one -> metric(one, "sailfish_lineage_master_leads") == 1)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Kills somebody; all are back when this returns. */
  void kill(Victim victim, SplittableRandom random) throws Exception {
    DaemonProcess worker = workers.get(random.nextInt(workers.size()));
    switch (victim) {
      case WORKER -> restart(worker);
      case EMPTIED_WORKER -> empty(worker);
      case LEADER -> restart(leader());
      case LEADER_AND_WORKER -> restart(leader(), worker);
      case MANAGER -> restart(manager);
    }
  }

  private void restart(DaemonProcess... daemons) throws IOException, InterruptedException {
    for (DaemonProcess daemon : daemons) {
      daemon.end("KILL");
    }
    for (DaemonProcess daemon : daemons) {
      daemon.start();
      file.started(daemon);
    }
  }

  /** Kills the worker that has a file in memory, and all that it had. */
  void emptyHolder(long fid) throws Exception {
    OpenFileResponse places = client.namespace().locate(fid, 0, 0);
    empty(
        workers.stream()
            .filter(
                worker ->
                    places.getWorkersList().stream()
                        .anyMatch(one -> one.getPort() == worker.address().getPort()))
            .findFirst()
            .orElse(workers.get(0)));
  }

  /** Not before another worker has the programs, without which nothing can be made again. */
  private void empty(DaemonProcess worker) throws Exception {
    await("programs are with two workers").atMost(DEADLINE).until(this::programsAreTwice);
    worker.end("KILL");
    String directories = worker.properties().getProperty("sailfish.lineage.worker.dirs");
    for (String directory : directories.split(",")) {
      ScratchDirectory.delete(Path.of(directory.replaceAll(":.*", "")));
    }
    worker.start();
    file.started(worker);
  }

  /** Those that no record names any more stay for a day, with as many workers as they had. */
  private boolean programsAreTwice() throws IOException {
    String directory = "/.lineage/programs/" + System.getProperty("user.name");
    Set<String> named = new HashSet<>();
    client
        .lineage()
        .list(
            record ->
                record
                    .getProgramsList()
                    .forEach(
                        one -> named.add(HexFormat.of().formatHex(one.getSha256().toByteArray()))));
    List<FileEntry> programs = new ArrayList<>();
    client.namespace().list(directory, programs::add);
    programs.removeIf(program -> !named.contains(program.getName()));
    for (FileEntry program : programs) {
      if (client.namespace().locate(program.getFid(), 0, 0).getWorkersCount() < 2) {
        return false;
      }
    }
    return true;
  }

  /** A client of the metaserver, which may do everything; closed by the caller. */
  MetaserverClient metaserver() throws IOException {
    byte[] secret = ClusterSecret.read("secret", sailfish.secret());
    return MetaserverClient.connect(
        metaserver, "test", Credentials.ofCluster(secret), Duration.ofSeconds(30));
  }

  /** Kills the chunkserver that listens at a port. */
  DaemonProcess killChunkserver(int port) throws IOException, InterruptedException {
    DaemonProcess victim =
        chunkservers.stream()
            .filter(one -> one.address().getPort() == port)
            .findFirst()
            .orElseThrow();
    victim.end("KILL");
    return victim;
  }

  /** Starts a daemon again that was killed. */
  void startAgain(DaemonProcess daemon) throws IOException, InterruptedException {
    daemon.start();
    file.started(daemon);
  }

  /** Stops everything; nothing may be left. */
  void stop() throws Exception {
    List<Path> memory = file.memoryDirectories();
    if (client != null) {
      client.close();
    }
    sailfish.succeed(DEADLINE, "stop");
    assertThat(memory).isNotEmpty().noneMatch(Files::exists);
  }
}
