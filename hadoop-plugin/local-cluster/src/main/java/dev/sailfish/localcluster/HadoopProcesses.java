package dev.sailfish.localcluster;

import dev.sailfish.localcluster.client.ReduceWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * ResourceManager, NodeManager and JobHistoryServer of a local cluster, with the configuration that
 * an operator would write for them: a stock Hadoop in which Sailfish's client jar is on the class
 * path of tasks and nothing else differs.
 */
final class HadoopProcesses {
  static final String RESOURCE_MANAGER = "resourcemanager";
  static final String NODE_MANAGER = "nodemanager";
  static final String HISTORY_SERVER = "historyserver";
  private static final String WEB = ".web";

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final FreePorts ports;

  /** What stands for the names in the templates. */
  private final Map<String, String> values = new HashMap<>();

  /** Chooses the daemons' addresses. */
  HadoopProcesses(Distribution distribution, ClusterLayout layout, FreePorts ports) {
    this.distribution = distribution;
    this.layout = layout;
    this.ports = ports;
    for (String daemon : List.of(RESOURCE_MANAGER, NODE_MANAGER, HISTORY_SERVER)) {
      values.put(daemon, ports.address());
      values.put(daemon + WEB, ports.address());
    }
    values.put("host", FreePorts.HOST);
    values.put("user", System.getProperty("user.name"));
    values.put("conf", layout.conf().toString());
    values.put("data", layout.data().toString());
    values.put("nodemanager.local", layout.nodeManagerLocal().toString());
    values.put("container.logs", layout.containerLogs().toString());
    values.put("task.options", LocalCluster.TASK_OPTIONS);
    // Sailfish first: a JVM looks for each class in one jar after the other, and Hadoop has many.
    values.put("classpath", distribution.clientJar() + "," + distribution.hadoopClassPath());
  }

  private String value(String name) {
    return switch (name) {
      case "free.port" -> Integer.toString(ports.next());
      case "free.address" -> ports.address();
      default -> values.get(name);
    };
  }

  /** {@code host:port} of the ResourceManager's web server. */
  String resourceManagerWeb() {
    return values.get(RESOURCE_MANAGER + WEB);
  }

  /** {@code host:port} of the web server of ended jobs. */
  String historyServerWeb() {
    return values.get(HISTORY_SERVER + WEB);
  }

  /** The three daemons, in the order in which they are to be started. */
  List<DaemonSpec> specs() {
    return List.of(
        spec(
            RESOURCE_MANAGER,
            "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
            "-Xmx768m",
            resourceManager -> serves(resourceManager, "/ws/v1/cluster/info")),
        spec(
            NODE_MANAGER,
            "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
            "-Xmx1g",
            nodeManager -> hasRunningNode() || nodeManager.wantsLogin("/ws/v1/node/info")),
        spec(
            HISTORY_SERVER,
            "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
            "-Xmx512m",
            historyServer -> serves(historyServer, "/ws/v1/history/info")));
  }

  /** Pages that want Kerberos tickets are not for this process: that they do is enough. */
  private static boolean serves(RestClient daemon, String path) {
    return daemon.get(path).isPresent() || daemon.wantsLogin(path);
  }

  private boolean hasRunningNode() {
    return !new RestClient("http://" + resourceManagerWeb())
        .elements("/ws/v1/cluster/nodes?states=RUNNING", "/nodes/node")
        .isEmpty();
  }

  private DaemonSpec spec(String name, String mainClass, String heap, Predicate<RestClient> ready) {
    String logs = layout.logs().toString();
    return new DaemonSpec(
        name,
        distribution.hadoopDaemon(
            List.of(heap, "-Dhadoop.log.dir=" + logs, "-Dyarn.log.dir=" + logs),
            layout.conf() + ":" + distribution.hadoopClassPath(),
            mainClass),
        Map.of("HADOOP_CONF_DIR", values.get("conf"), "JAVA_HOME", distribution.hadoopJavaHome()),
        values.get(name),
        "http://" + values.get(name + WEB),
        ready);
  }

  /**
   * Writes the site files.
   *
   * @param jobKeys what makes Sailfish known to jobs
   * @param settings keys of Hadoop's configuration, over those of the templates
   */
  void writeConfiguration(Map<String, String> jobKeys, Map<String, String> settings)
      throws IOException {
    // In each file, because each part of Hadoop reads its own defaults between them.
    Map<String, String> everywhere = new TreeMap<>(settings);
    write("core-site", Map.of(), everywhere);
    write("mapred-site", jobKeys, everywhere);
    write("yarn-site", Map.of(), everywhere);
    write("capacity-scheduler", Map.of(), Map.of());
    Files.copy(
        distribution.conf("log4j.properties"),
        layout.conf().resolve("log4j.properties"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private void write(String name, Map<String, String> more, Map<String, String> settings)
      throws IOException {
    Map<String, String> site = Template.fill(name, this::value);
    site.putAll(more);
    site.putAll(settings);
    // A job that sets the key lets its own class name follow the options.
    site.computeIfPresent(
        "yarn.app.mapreduce.am.command-opts",
        (key, options) -> options + " ${" + ReduceWork.APPLICATION_MASTER + "}");
    SiteFile.write(layout.conf().resolve(name + ".xml"), Optional.empty(), site);
  }
}
