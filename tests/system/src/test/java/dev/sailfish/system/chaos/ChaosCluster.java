package dev.sailfish.system.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishCommand;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster of {@code bin/sailfish start} whose daemons can be ended and started again, and whose
 * tasks reach metaserver and chunkservers through proxies: those listen on another loopback
 * address, at the same ports.
 */
final class ChaosCluster {
  static final int CHUNKSERVERS = 4;

  /** Hosts of tasks: enough that an ApplicationMaster can do without one that it blacklists. */
  private static final int NODES = 4;

  /** For two tasks, or one and the ApplicationMaster: so a job's tasks are on all hosts. */
  private static final int NODE_MB = 2_048;

  /** One, or three that take each other's place: then a fault of the metaserver is the leader's. */
  static final int METASERVERS = Integer.getInteger("sailfish.chaos.metaservers", 1);

  private static final Duration COMMAND = Duration.ofMinutes(4);
  private static final Duration CLEAN = Duration.ofSeconds(60);
  private static final Duration CALL = Duration.ofSeconds(5);
  private static final String PROXY_HOST = "127.0.0.2";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SailfishCommand sailfish;
  private final Path home;
  private final List<Daemon> chunkservers = new ArrayList<>();
  private final Map<Daemon, CuttingProxy> proxies = new HashMap<>();
  private final List<Path> memoryDirectories = new ArrayList<>();
  private final List<Daemon> metaservers = new ArrayList<>();
  private WorkerNodes nodes;
  private String resourceManagerWeb;
  private RestClient resourceManager;
  private RestClient historyServer;

  private ChaosCluster(Path work) {
    sailfish = new SailfishCommand(work);
    home = work.resolve("cluster");
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
        "yarn.nodemanager.resource.memory-mb=" + NODE_MB);
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

  private void takeOver() throws IOException, InterruptedException {
    long nodeManager = 0;
    JsonNode state = JSON.readTree(stateFile().toFile());
    state
        .path("memoryDirectories")
        .forEach(directory -> memoryDirectories.add(Path.of(directory.asText())));
    for (JsonNode record : state.path("daemons")) {
      String name = record.path("name").asText();
      if (name.equals("resourcemanager")) {
        resourceManagerWeb = record.path("web").asText();
        resourceManager = new RestClient(resourceManagerWeb);
      } else if (name.equals("nodemanager")) {
        nodeManager = record.path("pid").asLong();
      } else if (name.equals("historyserver")) {
        historyServer = new RestClient(record.path("web").asText());
      } else if (name.startsWith("metaserver")) {
        Daemon metaserver = new Daemon(record);
        metaservers.add(metaserver);
        proxy(metaserver);
      } else if (name.startsWith("chunkserver-")) {
        Daemon chunkserver = new Daemon(record);
        chunkservers.add(chunkserver);
        proxy(chunkserver);
      }
    }
    assertThat(chunkservers).as("chunkservers in %s", stateFile()).hasSize(CHUNKSERVERS);
    assertThat(metaservers).as("metaservers in %s", stateFile()).hasSize(METASERVERS);
    nodes = WorkerNodes.start(home, nodeManager, NODES - 1, resourceManager);
  }

  private void proxy(Daemon daemon) throws IOException {
    InetSocketAddress before = new InetSocketAddress(PROXY_HOST, daemon.address().getPort());
    proxies.put(daemon, CuttingProxy.start(before, daemon.address()));
  }

  private Path stateFile() {
    return home.resolve("cluster.json");
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
  Daemon metaserver() {
    if (metaservers.size() > 1) {
      for (Daemon metaserver : metaservers) {
        boolean leads =
            metaserver
                .status()
                .map(status -> status.path("metaserver_leads").asLong() == 1)
                .orElse(false);
        if (leads) {
          return metaserver;
        }
      }
    }
    return metaservers.get(0);
  }

  List<Daemon> metaservers() {
    return metaservers;
  }

  List<Daemon> chunkservers() {
    return chunkservers;
  }

  RestClient resourceManager() {
    return resourceManager;
  }

  RestClient historyServer() {
    return historyServer;
  }

  /** What tasks connect to instead of the daemon itself. */
  CuttingProxy proxyOf(Daemon daemon) {
    return proxies.get(daemon);
  }

  /** The metaservers' addresses for jobs. */
  String metaserverAddress() {
    return metaservers.stream()
        .map(metaserver -> PROXY_HOST + ":" + metaserver.address().getPort())
        .collect(Collectors.joining(","));
  }

  private Credentials credentials() throws IOException {
    return Credentials.ofCluster(ClusterSecret.read("secret", sailfish.secret()));
  }

  /** A client that does not go through a proxy. */
  MetaserverClient metaserverClient(Duration deadline) throws IOException {
    return MetaserverClient.connect(
        metaservers.stream().map(Daemon::address).toList(), "chaos", credentials(), deadline);
  }

  /** A client that does not go through a proxy. */
  ChunkserverClient chunkserverClient(Daemon chunkserver) throws IOException {
    return ChunkserverClient.connect(chunkserver.address(), "chaos", credentials(), CALL);
  }

  /**
   * Starts a daemon again, and writes its new process into the cluster's state file, so that {@code
   * bin/sailfish} knows it.
   */
  void restart(Daemon daemon) throws IOException {
    daemon.start();
    synchronized (this) {
      ObjectNode state = (ObjectNode) JSON.readTree(stateFile().toFile());
      for (JsonNode record : state.path("daemons")) {
        if (record.path("name").asText().equals(daemon.name())) {
          ((ObjectNode) record).put("pid", daemon.process().pid());
          ((ObjectNode) record).put("startTicks", daemon.process().startTicks());
        }
      }
      JSON.writeValue(stateFile().toFile(), state);
    }
  }

  /** Asks the ResourceManager to kill all applications that run; returns their ids. */
  List<String> killApplications() throws IOException, InterruptedException {
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
    return killed;
  }

  /** Sums of a counter over all chunkservers that answer. */
  long count(String counter) {
    return chunkservers.stream()
        .flatMap(chunkserver -> chunkserver.status().stream())
        .mapToLong(status -> status.path(counter).asLong())
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
                assertThat(client.status().getCountersOrDefault("metaserver_manifests_held", 0))
                    .as("manifests of the metaserver")
                    .isZero();
              }
              for (Daemon chunkserver : chunkservers) {
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
  List<Path> segmentDirectories(Daemon chunkserver) throws IOException {
    List<Path> directories = new ArrayList<>();
    String prefix = "sailfish.chunkserver.";
    String disks = chunkserver.properties().getProperty(prefix + "data.dirs");
    directories.add(Path.of(chunkserver.properties().getProperty(prefix + "memory.dir")));
    directories.add(Path.of(disks.replaceAll(":capacity=.*", "")));
    return directories.stream().map(directory -> directory.resolve("segments")).toList();
  }

  /** Names of the segments' files: those that are kept for reuse have none. */
  private List<String> segments(Daemon chunkserver) throws IOException {
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
    for (CuttingProxy proxy : proxies.values()) {
      proxy.close();
    }
    nodes.stop();
    sailfish.succeed(COMMAND, "stop");
    assertThat(memoryDirectories).isNotEmpty().noneMatch(Files::exists);
    await()
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () -> assertThat(containers().processes()).as("processes that are left").isEmpty());
  }
}
