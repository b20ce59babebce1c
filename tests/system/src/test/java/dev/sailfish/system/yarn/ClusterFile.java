package dev.sailfish.system.yarn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.localcluster.ProcessStat;
import dev.sailfish.localcluster.RestClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The file in which {@code bin/sailfish start} says which daemons run. Thread-safe. */
public final class ClusterFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;

  /**
   * @param home the cluster's directory
   */
  public ClusterFile(Path home) {
    file = home.resolve("cluster.json");
  }

  /** The daemons, each with name, pid, address, web and log. */
  public List<JsonNode> daemons() throws IOException {
    return RestClient.elements(JSON.readTree(file.toFile()).path("daemons"));
  }

  /** Directories in memory. */
  public List<Path> memoryDirectories() throws IOException {
    List<Path> directories = new ArrayList<>();
    JSON.readTree(file.toFile())
        .path("memoryDirectories")
        .forEach(directory -> directories.add(Path.of(directory.asText())));
    return directories;
  }

  /**
   * A daemon that can be ended and started again.
   *
   * @param serves whether it does its work
   */
  public static DaemonProcess process(JsonNode daemon, BooleanSupplier serves) throws IOException {
    String[] address = daemon.path("address").asText().split(":");
    return new DaemonProcess(
        daemon.path("name").asText(),
        new InetSocketAddress(address[0], Integer.parseInt(address[1])),
        daemon.path("pid").asLong(),
        Path.of(daemon.path("log").asText()),
        serves);
  }

  /** Writes a daemon's new process down, so that {@code bin/sailfish} knows it. */
  public synchronized void started(DaemonProcess daemon) throws IOException {
    long pid = daemon.process().pid();
    ObjectNode state = (ObjectNode) JSON.readTree(file.toFile());
    for (JsonNode record : state.path("daemons")) {
      if (record.path("name").asText().equals(daemon.name())) {
        ((ObjectNode) record).put("pid", pid);
        ProcessStat.read(pid)
            .ifPresent(stat -> ((ObjectNode) record).put("startTicks", stat.startTicks()));
      }
    }
    JSON.writeValue(file.toFile(), state);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
