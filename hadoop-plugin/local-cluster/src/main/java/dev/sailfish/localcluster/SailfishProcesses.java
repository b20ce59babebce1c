package dev.sailfish.localcluster;

import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** The metaservers and the chunkservers of a local cluster. */
final class SailfishProcesses {
  private static final String HOST = "127.0.0.1";
  private static final String METASERVER = "metaserver";
  private static final String CHUNKSERVER = "chunkserver-";
  private static final String SECRET_FILE = "cluster.secret.file";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final long MAX_MEMORY_BYTES = 4L << 30;
  private static final String METASERVER_HEAP = "-Xmx512m";
  private static final String CHUNKSERVER_HEAP = "-Xmx1g";

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final String resourceManagerWeb;
  private final SailfishOptions options;
  private final List<Server> metaservers = new ArrayList<>();
  private final List<Server> chunkservers = new ArrayList<>();

  /**
   * A daemon that is to be started.
   *
   * @param name as users see it
   * @param port of its protocol
   * @param webPort of its web pages
   * @param memory directory on /dev/shm that is its own; unused by the metaserver
   */
  private record Server(String name, int port, int webPort, Path memory) {}

  /**
   * Chooses ports and directories.
   *
   * @param resourceManagerWeb {@code host:port}, watched for the end of applications
   */
  SailfishProcesses(
      Distribution distribution,
      ClusterLayout layout,
      FreePorts ports,
      String resourceManagerWeb,
      SailfishOptions options) {
    this.distribution = distribution;
    this.layout = layout;
    this.resourceManagerWeb = resourceManagerWeb;
    this.options = options;
    String cluster = UUID.randomUUID().toString();
    for (int i = 1; i <= options.metaservers(); i++) {
      metaservers.add(server(i == 1 ? METASERVER : METASERVER + "-" + i, cluster, ports));
    }
    for (int i = 1; i <= options.chunkservers(); i++) {
      chunkservers.add(server(CHUNKSERVER + i, cluster, ports));
    }
  }

  private static Server server(String name, String cluster, FreePorts ports) {
    Path memory = SHARED_MEMORY.resolve("sailfish-" + cluster + "-" + name);
    return new Server(name, ports.next(), ports.next(), memory);
  }

  /** Whether a daemon of this name is one of Sailfish's. */
  static boolean isName(String name) {
    return isMetaserver(name) || name.startsWith(CHUNKSERVER);
  }

  /** Whether a daemon of this name is a metaserver. */
  static boolean isMetaserver(String name) {
    return name.equals(METASERVER) || name.startsWith(METASERVER + "-");
  }

  /** What has to be deleted when the cluster stops, however it stops. */
  List<String> memoryDirectories() {
    return chunkservers.stream().map(server -> server.memory().toString()).toList();
  }

  /** The keys that a job needs to find the metaserver. */
  Map<String, String> jobConfiguration() {
    Map<String, String> keys = new HashMap<>();
    keys.put("sailfish.metaserver.address", metaserverAddresses());
    keys.put("sailfish.metaserver.public.key", publicKey(layout.secret()));
    if (options.tlsClientFile().isPresent()) {
      keys.put("sailfish.tls", "true");
    }
    String first = HOST + ":" + metaservers.get(0).port();
    keys.putAll(KerberosKeys.of(options.properties(), first));
    return keys;
  }

  private static String publicKey(Path secret) {
    try {
      return ServerKey.of(ClusterSecret.read("secret of the local cluster", secret)).publicText();
    } catch (IOException e) {
      throw new CommandException(e.getMessage() + ".", e);
    }
  }

  private String metaserverAddresses() {
    return metaservers.stream()
        .map(server -> HOST + ":" + server.port())
        .collect(Collectors.joining(","));
  }

  void writeConfiguration() {
    writeTlsClientFile();
    for (Server metaserver : metaservers) {
      Map<String, String> properties = new HashMap<>();
      properties.put("host", HOST);
      properties.put("port", Integer.toString(metaserver.port()));
      properties.put("web.port", Integer.toString(metaserver.webPort()));
      properties.put("resourcemanager", resourceManagerWeb);
      properties.put(SECRET_FILE, layout.secret().toString());
      properties.put("journal.dir", layout.data().resolve(metaserver.name()).toString());
      if (metaservers.size() > 1) {
        properties.put("peer", metaserver.name());
        properties.put("peers", peers());
      }
      write(metaserver, SailfishOptions.METASERVER_PREFIX, properties);
    }
    String memoryBytes = Long.toString(memoryBytes(options.chunkservers()));
    for (Server server : chunkservers) {
      write(
          server,
          SailfishOptions.CHUNKSERVER_PREFIX,
          Map.of(
              "host",
              HOST,
              "bind",
              HOST,
              "port",
              Integer.toString(server.port()),
              "web.port",
              Integer.toString(server.webPort()),
              "metaserver.address",
              metaserverAddresses(),
              "memory.dir",
              server.memory().toString(),
              "memory.size",
              memoryBytes,
              "data.dirs",
              layout.data().resolve(server.name()).toString(),
              SECRET_FILE,
              layout.secret().toString()));
    }
  }

  /** Containers have the directory on their class path, where tasks look for this file. */
  private void writeTlsClientFile() {
    try {
      Files.deleteIfExists(layout.tlsClientFile());
      if (options.tlsClientFile().isPresent()) {
        Files.copy(options.tlsClientFile().get(), layout.tlsClientFile());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String peers() {
    return metaservers.stream()
        .map(server -> server.name() + "=" + HOST + ":" + server.port())
        .collect(Collectors.joining(","));
  }

  /** Half of what /dev/shm has left, shared by the chunkservers, up to a limit. */
  private static long memoryBytes(int servers) {
    try {
      long usable = Files.getFileStore(SHARED_MEMORY).getUsableSpace();
      return Math.min(MAX_MEMORY_BYTES, usable / (2L * servers));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(Server server, String prefix, Map<String, String> properties) {
    String text =
        options.over(properties, prefix).entrySet().stream()
            .map(entry -> entry.getKey() + "=" + escape(entry.getValue()) + "\n")
            .collect(Collectors.joining());
    try {
      Files.writeString(propertiesFile(server), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\");
  }

  private Path propertiesFile(Server server) {
    return layout.conf().resolve(server.name() + ".properties");
  }

  /** The daemons, in the order in which they are to be started. */
  List<DaemonSpec> specs() {
    List<DaemonSpec> specs = new ArrayList<>();
    for (Server metaserver : metaservers) {
      RestClient pages = new RestClient(web(metaserver), layout.tls());
      specs.add(
          spec(
              metaserver,
              List.of(METASERVER_HEAP, "-XX:+UseSerialGC"),
              "dev.sailfish.metaserver.MetaserverMain",
              () -> pages.get("/status").isPresent()));
    }
    for (Server server : chunkservers) {
      RestClient pages = new RestClient(web(server), layout.tls());
      specs.add(
          spec(
              server,
              List.of(CHUNKSERVER_HEAP, "-XX:+UseParallelGC", "-XX:ParallelGCThreads=2"),
              "dev.sailfish.chunkserver.ChunkserverMain",
              () -> isKnownToMetaserver(pages)));
    }
    return specs;
  }

  private static boolean isKnownToMetaserver(RestClient chunkserver) {
    return chunkserver
        .get("/status")
        .map(status -> status.path("chunkserver_heartbeats").asLong() > 0)
        .orElse(false);
  }

  private DaemonSpec spec(
      Server server, List<String> flags, String mainClass, BooleanSupplier ready) {
    List<String> command = new ArrayList<>(List.of(Distribution.java()));
    command.addAll(flags);
    command.addAll(distribution.jvmOptions());
    command.addAll(
        List.of(
            "-cp", distribution.sailfishClassPath(), mainClass, propertiesFile(server).toString()));
    return new DaemonSpec(
        server.name(), command, Map.of(), HOST + ":" + server.port(), web(server), ready);
  }

  private String web(Server server) {
    return (options.tlsClientFile().isPresent() ? "https://" : "http://")
        + HOST
        + ":"
        + server.webPort();
  }
}
