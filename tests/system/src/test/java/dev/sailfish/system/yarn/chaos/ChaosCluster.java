package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sailfish.chaos.CuttingProxy;
import dev.sailfish.chaos.Target;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.Daemons;
import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.chaos.process.RunningProcess;
import dev.sailfish.chaos.process.WorkerNodes;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.yarn.ClusterFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster of {@code bin/sailfish start} whose daemons can be ended and started again, and whose
 * tasks reach metaserver and chunkservers through proxies: those listen on another loopback
 * address, at the same ports.
 */
final class ChaosCluster implements Target {
  private static final int CHUNKSERVERS = 4;
  private static final int MOST_CHUNKSERVERS_TAKEN = 2;

  /** Hosts of tasks: enough that an ApplicationMaster can do without one that it blacklists. */
  private static final int NODES = 4;

  /** For two tasks, or one and the ApplicationMaster: so a job's tasks are on all hosts. */
  private static final int NODE_MB = 2_048;

  /** How long a host may be silent before the ResourceManager gives it up: 10 min by default. */
  private static final Duration NODE_EXPIRY = Duration.ofSeconds(15);

  /** One, or three that take each other's place: then a fault of the metaserver is the leader's. */
  private static final int METASERVERS = Integer.getInteger("sailfish.chaos.metaservers", 1);

  private static final Duration COMMAND = Duration.ofMinutes(4);
  private static final Duration CLEAN = Duration.ofSeconds(60);
  private static final Duration CALL = Duration.ofSeconds(5);
  private static final String PROXY_HOST = "127.0.0.2";

  private final SailfishCommand sailfish;
  private final Path home;
  private final ClusterFile file;
  private final Map<DaemonProcess, RestClient> webs = new HashMap<>();
  private final List<CuttingProxy> proxies = new ArrayList<>();
  private final List<Path> memoryDirectories = new ArrayList<>();
  private Daemons chunkservers;
  private Daemons metaservers;
  private WorkerNodes nodes;
  private String resourceManagerWeb;
  private RestClient resourceManager;
  private RestClient historyServer;

  private ChaosCluster(Path work) {
    sailfish = new SailfishCommand(work);
    home = work.resolve("cluster");
    file = new ClusterFile(home);
  }

  /**
   * Starts a cluster. Deadlines are those of a cluster where nobody has set any. Memory is less, so
   * that small jobs fill it, and is given back to the system sooner: both make more happen in a
   * job.
   *
   * @param work an empty directory; logs stay in it
   */
  static ChaosCluster start(Path work) throws Exception {
    ChaosCluster cluster = new ChaosCluster(work);
    cluster.sailfish.succeed(
        COMMAND,
        "start",
        "--no-web",
        "--lineage-workers=0",
        "--metaservers",
        Integer.toString(METASERVERS),
        "--chunkservers",
        Integer.toString(CHUNKSERVERS),
        "-D",
        "sailfish.chunkserver.host=" + PROXY_HOST,
        "-D",
        "sailfish.chunkserver.memory.size=64m",
        "-D",
        "sailfish.chunkserver.idle.release=2s",
        "-D",
        "yarn.nodemanager.resource.memory-mb=" + NODE_MB,
        "-D",
        "yarn.nm.liveness-monitor.expiry-interval-ms=" + NODE_EXPIRY.toMillis());
    boolean good = false;
    try {
      cluster.takeOver();
      good = true;
      return cluster;
    } finally {
      if (!good) {
        cluster.sailfish.run(COMMAND, List.of("stop"));
      }
    }
  }

  private void takeOver() throws IOException {
    long nodeManager = 0;
    List<DaemonProcess> metas = new ArrayList<>();
    List<DaemonProcess> chunks = new ArrayList<>();
    memoryDirectories.addAll(file.memoryDirectories());
    for (JsonNode record : file.daemons()) {
      String name = record.path("name").asText();
      if (name.equals("resourcemanager")) {
        resourceManagerWeb = record.path("web").asText();
        resourceManager = new RestClient(resourceManagerWeb);
      } else if (name.equals("nodemanager")) {
        nodeManager = record.path("pid").asLong();
      } else if (name.equals("historyserver")) {
        historyServer = new RestClient(record.path("web").asText());
      } else if (name.startsWith("metaserver")) {
        metas.add(takeOver(record));
      } else if (name.startsWith("chunkserver-")) {
        chunks.add(takeOver(record));
      }
    }
    assertThat(chunks).as("chunkservers in %s", file).hasSize(CHUNKSERVERS);
    assertThat(metas).as("metaservers in %s", file).hasSize(METASERVERS);
    chunkservers = new Daemons(chunks, MOST_CHUNKSERVERS_TAKEN, file::started);
    metaservers = new Daemons(metas, METASERVERS, file::started);
    nodes = NodeManagers.start(home, nodeManager, NODES - 1, resourceManager);
  }

  /** Takes a daemon over from its record in the state file, and puts a proxy before it. */
  private DaemonProcess takeOver(JsonNode record) throws IOException {
    RestClient web = new RestClient(record.path("web").asText());
    DaemonProcess daemon = ClusterFile.process(record, () -> serves(web));
    InetSocketAddress address = daemon.address();
    webs.put(daemon, web);
    proxies.add(
        CuttingProxy.start(
            daemon.name(), new InetSocketAddress(PROXY_HOST, address.getPort()), address));
    return daemon;
  }

  /** Whether it answers, and, if it is a chunkserver, its metaserver knows it. */
  private static boolean serves(RestClient web) {
    String beats = ChunkserverMetric.HEARTBEATS.fullName();
    return web.get("/status")
        .map(status -> status.path("metrics"))
        .map(metrics -> !metrics.has(beats) || metrics.path(beats).asLong() > 0)
        .orElse(false);
  }

  /** What a daemon's web page says, if it answers. */
  private Optional<JsonNode> status(DaemonProcess daemon) {
    return webs.get(daemon).get("/status");
  }

  /** Where configuration, data and logs are. */
  Path home() {
    return home;
  }

  SailfishCommand sailfish() {
    return sailfish;
  }

  Containers containers() {
    return new Containers(home);
  }

  /** The one that leads, or the first when none says so. */
  DaemonProcess leader() {
    List<DaemonProcess> all = metaservers.all();
    return all.stream()
        .filter(daemon -> all.size() > 1 && leads(daemon))
        .findFirst()
        .orElse(all.get(0));
  }

  private boolean leads(DaemonProcess metaserver) {
    return status(metaserver)
        .map(status -> status.path("metrics").path(MetaserverMetric.LEADS.fullName()).asLong() == 1)
        .orElse(false);
  }

  Daemons metaservers() {
    return metaservers;
  }

  Daemons chunkservers() {
    return chunkservers;
  }

  RestClient resourceManager() {
    return resourceManager;
  }

  RestClient historyServer() {
    return historyServer;
  }

  /** What tasks connect to instead of the daemons themselves. */
  List<CuttingProxy> proxies() {
    return proxies;
  }

  /** The metaservers' addresses for jobs. */
  String metaserverAddress() {
    return metaservers.all().stream()
        .map(metaserver -> PROXY_HOST + ":" + metaserver.address().getPort())
        .collect(Collectors.joining(","));
  }

  private Credentials credentials() throws IOException {
    return Credentials.ofCluster(ClusterSecret.read("secret", sailfish.secret()));
  }

  /** A client that does not go through a proxy. */
  MetaserverClient metaserverClient(Duration deadline) throws IOException {
    return MetaserverClient.connect(
        metaservers.all().stream().map(DaemonProcess::address).toList(),
        "chaos",
        credentials(),
        deadline);
  }

  /** A client that does not go through a proxy. */
  ChunkserverClient chunkserverClient(DaemonProcess chunkserver) throws IOException {
    return ChunkserverClient.connect(chunkserver.address(), "chaos", credentials(), CALL);
  }

  @Override
  public void repair() throws IOException, InterruptedException {
    metaservers.repair();
    chunkservers.repair();
    nodes.repair();
  }

  /**
   * SIGKILL of a NodeManager and of all that runs on its host; says what that was. Only of one
   * whose host has a container.
   */
  Optional<String> killNode(SplittableRandom random) throws IOException, InterruptedException {
    List<NamedProcess> containers = containers().all();
    SortedMap<String, List<String>> busy = new TreeMap<>();
    for (String host : nodes.hosts()) {
      List<RunningProcess> there =
          RunningProcess.withWord(NodeManagers.data(home, host).toString());
      List<String> names =
          containers.stream()
              .filter(container -> there.contains(container.process()))
              .map(NamedProcess::name)
              .toList();
      if (!names.isEmpty()) {
        busy.put(host, names);
      }
    }
    if (busy.isEmpty()) {
      return Optional.empty();
    }
    String host = List.copyOf(busy.keySet()).get(random.nextInt(busy.size()));
    killHost(host);
    return Optional.of("killed node " + host + " with " + busy.get(host));
  }

  /** The host of a container; empty for that of the cluster's first NodeManager. */
  Optional<String> host(RunningProcess container) {
    return nodes.hosts().stream()
        .filter(
            host ->
                RunningProcess.withWord(NodeManagers.data(home, host).toString())
                    .contains(container))
        .findFirst();
  }

  /** SIGKILL of a NodeManager and of all that runs on its host. */
  void killHost(String host) throws IOException, InterruptedException {
    nodes.kill(host);
    for (RunningProcess process :
        RunningProcess.withWord(NodeManagers.data(home, host).toString())) {
      process.signal("KILL");
    }
  }

  /** Asks the ResourceManager to kill all applications that run; says which, if there are any. */
  Optional<String> killApplications() throws IOException, InterruptedException {
    String apps = "/ws/v1/cluster/apps";
    List<String> killed = new ArrayList<>();
    JsonNode running =
        resourceManager
            .get(apps + "?states=ACCEPTED,RUNNING")
            .orElseThrow(() -> new IOException("the ResourceManager does not answer"));
    for (JsonNode application : RestClient.elements(running.path("apps").path("app"))) {
      String id = application.path("id").asText();
      HttpRequest kill =
          HttpRequest.newBuilder(
                  URI.create(resourceManagerWeb + apps + "/" + id + "/state?user.name=chaos"))
              .header("Content-Type", "application/json")
              .PUT(HttpRequest.BodyPublishers.ofString("{\"state\":\"KILLED\"}"))
              .timeout(CALL)
              .build();
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(kill, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as("kill %s: %s", id, answer.body()).isIn(200, 202);
      killed.add(id);
    }
    return killed.isEmpty() ? Optional.empty() : Optional.of("killed " + killed);
  }

  /** Sums of a counter over all chunkservers that answer. */
  long count(String counter) {
    return chunkservers.all().stream()
        .flatMap(chunkserver -> status(chunkserver).stream())
        .mapToLong(status -> status.path("metrics").path(counter).asLong())
        .sum();
  }

  /** After a job: no job, chunk or manifest is known, nothing is held, no segment has a name. */
  void awaitClean() {
    await()
        .atMost(CLEAN)
        .pollInterval(Duration.ofMillis(200))
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(
            () -> {
              try (MetaserverClient client = metaserverClient(CALL)) {
                assertThat(client.listJobs().getJobsList()).as("jobs of the metaserver").isEmpty();
                assertThat(
                        client
                            .status()
                            .getCountersOrDefault(MetaserverMetric.MANIFESTS_HELD.fullName(), 0))
                    .as("manifests of the metaserver")
                    .isZero();
              }
              for (DaemonProcess chunkserver : chunkservers.all()) {
                try (ChunkserverClient client = chunkserverClient(chunkserver)) {
                  assertThat(client.listChunks("").getChunksList())
                      .as("chunks of %s", chunkserver)
                      .isEmpty();
                }
                assertThat(segments(chunkserver)).as("segments of %s", chunkserver).isEmpty();
              }
            });
  }

  /** Directories with the segments of a chunkserver, in memory and on disk. */
  List<Path> segmentDirectories(DaemonProcess chunkserver) throws IOException {
    List<Path> directories = new ArrayList<>();
    String prefix = "sailfish.chunkserver.";
    String disks = chunkserver.properties().getProperty(prefix + "data.dirs");
    directories.add(Path.of(chunkserver.properties().getProperty(prefix + "memory.dir")));
    directories.add(Path.of(disks.replaceAll(":capacity=.*", "")));
    return directories.stream().map(directory -> directory.resolve("segments")).toList();
  }

  /** Names of the segments' files: those that are kept for reuse have none. */
  private List<String> segments(DaemonProcess chunkserver) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path directory : segmentDirectories(chunkserver)) {
      if (Files.isDirectory(directory)) {
        try (Stream<Path> files = Files.list(directory)) {
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.startsWith("+"))
              .forEach(names::add);
        }
      }
    }
    return names;
  }

  /** Stops everything; nothing may be left. */
  void stop() throws Exception {
    for (CuttingProxy proxy : proxies) {
      proxy.close();
    }
    nodes.close();
    sailfish.succeed(COMMAND, "stop");
    assertThat(memoryDirectories).isNotEmpty().noneMatch(Files::exists);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(containers().processes()).as("processes that are left").isEmpty());
  }
}
