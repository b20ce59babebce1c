package dev.sailfish.launcher.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The metaserver and two chunkservers of a local cluster. */
final class SailfishDaemons {
  static final String METASERVER = "metaserver";
  static final String CHUNKSERVER = "chunkserver-";

  private static final String HOST = "127.0.0.1";
  private static final int CHUNKSERVERS = 2;
  private static final int CONNECT_TIMEOUT_MS = 1_000;

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final FreePorts ports;
  private final int metaserverPort;
  private final int metaserverWebPort;
  private final List<Chunkserver> chunkservers = new ArrayList<>();

  /** One chunkserver: its ports and the directory on /dev/shm that is its own. */
  private record Chunkserver(String name, int port, int webPort, Path memory) {}

  SailfishDaemons(Distribution distribution, ClusterLayout layout, FreePorts ports) {
    this.distribution = distribution;
    this.layout = layout;
    this.ports = ports;
    metaserverPort = ports.next();
    metaserverWebPort = ports.next();
    String cluster = UUID.randomUUID().toString();
    for (int i = 1; i <= CHUNKSERVERS; i++) {
      chunkservers.add(
          new Chunkserver(
              CHUNKSERVER + i,
              ports.next(),
              ports.next(),
              Path.of("/dev/shm", "sailfish-" + cluster + "-" + i)));
    }
  }

  /** What has to be deleted when the cluster stops, however it stops. */
  List<String> memoryDirectories() {
    return chunkservers.stream().map(server -> server.memory().toString()).toList();
  }

  /** The keys that a job needs to find the metaserver. */
  Map<String, String> jobConfiguration() {
    return Map.of("sailfish.metaserver.address", HOST + ":" + metaserverPort);
  }

  void writeConfiguration() {
    Map<String, String> metaserver = new LinkedHashMap<>();
    metaserver.put("metaserver.host", HOST);
    metaserver.put("metaserver.port", Integer.toString(metaserverPort));
    metaserver.put("metaserver.web.port", Integer.toString(metaserverWebPort));
    write(METASERVER, metaserver);
    for (Chunkserver server : chunkservers) {
      Map<String, String> properties = new LinkedHashMap<>();
      properties.put("chunkserver.host", HOST);
      properties.put("chunkserver.port", Integer.toString(server.port()));
      properties.put("chunkserver.web.port", Integer.toString(server.webPort()));
      properties.put("chunkserver.metaserver.address", HOST + ":" + metaserverPort);
      properties.put("store.memory.directory", server.memory().toString());
      properties.put("store.memory.bytes", Long.toString(3L << 30));
      properties.put("store.disk.directories", layout.data().resolve(server.name()).toString());
      write(server.name(), properties);
    }
  }

  private void write(String name, Map<String, String> properties) {
    String text =
        properties.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue().replace("\\", "\\\\") + "\n")
            .collect(Collectors.joining());
    try {
      Files.writeString(propertiesFile(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path propertiesFile(String name) {
    return layout.conf().resolve(name + ".properties");
  }

  /** The daemons, in the order in which they are to be started. */
  List<DaemonSpec> specs() {
    List<DaemonSpec> specs = new ArrayList<>();
    specs.add(
        spec(
            METASERVER,
            "dev.sailfish.metaserver.MetaserverMain",
            "-Xmx512m",
            metaserverPort,
            metaserverWebPort));
    for (Chunkserver server : chunkservers) {
      specs.add(
          spec(
              server.name(),
              "dev.sailfish.chunkserver.ChunkserverMain",
              "-Xmx1g",
              server.port(),
              server.webPort()));
    }
    return specs;
  }

  private DaemonSpec spec(String name, String mainClass, String heap, int port, int webPort) {
    List<String> command = new ArrayList<>(List.of(Distribution.java(), heap));
    command.addAll(distribution.jvmOptions());
    command.addAll(
        List.of(
            "-cp", distribution.sailfishClassPath(), mainClass, propertiesFile(name).toString()));
    return new DaemonSpec(
        name,
        command,
        Map.of(),
        HOST + ":" + port,
        "http://" + HOST + ":" + webPort,
        () -> accepts(port));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(HOST, port), CONNECT_TIMEOUT_MS);
      return true;
    } catch (IOException e) {
      return false; // not yet
    }
  }
}
