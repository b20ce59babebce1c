package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.process.ProcessImage;
import dev.sailfish.chaos.process.WorkerNodes;
import dev.sailfish.localcluster.RestClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Further NodeManagers beside the one of a local cluster. With one host an ApplicationMaster that
 * blacklists it goes on to use it (a third of the hosts is the most that it does without), so that
 * blacklisting could not do any harm.
 */
final class NodeManagers {
  private NodeManagers() {}

  /**
   * Starts them and waits until the ResourceManager knows them.
   *
   * @param home the cluster's directory
   * @param pid of the NodeManager that runs already
   * @param count how many there are to be besides
   */
  static WorkerNodes start(Path home, long pid, int count, RestClient resourceManager)
      throws IOException {
    return WorkerNodes.start(
        pid,
        count,
        home.resolve("logs"),
        (host, first) -> configured(home, host, first),
        workers -> running(resourceManager) == workers);
  }

  /** Where a host's NodeManager keeps the files of containers: it is on their command lines. */
  static Path data(Path home, String host) {
    return home.resolve("data/nodemanager-" + host);
  }

  private static int running(RestClient resourceManager) {
    return resourceManager
        .get("/ws/v1/cluster/nodes?states=RUNNING")
        .map(answer -> RestClient.elements(answer.path("nodes").path("node")).size())
        .orElse(0);
  }

  private static ProcessImage configured(Path home, String host, ProcessImage first)
      throws IOException {
    Path before = home.resolve("conf");
    Path conf = Files.createDirectories(home.resolve("conf-" + host));
    configure(before, conf, home, host);
    List<String> command =
        first.command().stream().map(word -> word.replace(before + ":", conf + ":")).toList();
    Map<String, String> environment = new HashMap<>(first.environment());
    environment.put("HADOOP_CONF_DIR", conf.toString());
    return new ProcessImage(command, environment, home);
  }

  /** The configuration of the first NodeManager with another host, other ports and directories. */
  private static void configure(Path before, Path conf, Path home, String host) throws IOException {
    try (Stream<Path> files = Files.list(before)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, conf.resolve(file.getFileName()));
      }
    }
    rewrite(
        conf.resolve("yarn-site.xml"),
        Map.of(
            "yarn.nodemanager.hostname",
            host,
            "yarn.nodemanager.address",
            host + ":0",
            "yarn.nodemanager.localizer.address",
            host + ":0",
            "yarn.nodemanager.webapp.address",
            host + ":0",
            "yarn.nodemanager.local-dirs",
            data(home, host).toString(),
            "yarn.nodemanager.log-dirs",
            home.resolve("logs/containers-" + host).toString()));
    rewrite(conf.resolve("mapred-site.xml"), Map.of("mapreduce.shuffle.port", "0"));
  }

  private static void rewrite(Path site, Map<String, String> settings) throws IOException {
    Configuration properties = new Configuration(false);
    properties.addResource(site.toUri().toURL());
    settings.forEach(properties::set);
    properties.size(); // reads the file before it is written over
    try (OutputStream out = Files.newOutputStream(site)) {
      properties.writeXml(out);
    }
  }
}
