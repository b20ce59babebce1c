package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * ResourceManager, NodeManager and JobHistoryServer of a local cluster, with the configuration that
 * an operator would write for them: a stock Hadoop in which Sailfish's client jar is on the class
 * path of tasks and nothing else differs.
 *
 * <p>The NodeManager has room for one application master and two tasks at a time.
 */
final class HadoopProcesses {
  static final String RESOURCE_MANAGER = "resourcemanager";
  static final String NODE_MANAGER = "nodemanager";
  static final String HISTORY_SERVER = "historyserver";

  private static final String HOST = "127.0.0.1";
  private static final int MASTER_MB = 1_024;
  private static final int TASK_MB = 2_048;
  private static final int TASKS_AT_A_TIME = 2;
  private static final String MASTER_OPTIONS =
      "-Xmx768m -XX:+UseParallelGC -XX:ParallelGCThreads=2";
  static final String TASK_OPTIONS = "-Xmx1500m -XX:+UseParallelGC -XX:ParallelGCThreads=2";

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final FreePorts ports;
  private final Map<String, String> settings;
  private final String resourceManager;
  private final String resourceManagerWeb;
  private final String nodeManager;
  private final String nodeManagerWeb;
  private final String historyServer;
  private final String historyServerWeb;

  /**
   * Chooses the daemons' addresses.
   *
   * @param settings keys of Hadoop's configuration, over those that are written here
   */
  HadoopProcesses(
      Distribution distribution,
      ClusterLayout layout,
      FreePorts ports,
      Map<String, String> settings) {
    this.distribution = distribution;
    this.layout = layout;
    this.ports = ports;
    this.settings = Map.copyOf(settings);
    resourceManager = address();
    resourceManagerWeb = address();
    nodeManager = address();
    nodeManagerWeb = address();
    historyServer = address();
    historyServerWeb = address();
  }

  private String address() {
    return HOST + ":" + ports.next();
  }

  /** {@code host:port} of the ResourceManager's web server. */
  String resourceManagerWeb() {
    return resourceManagerWeb;
  }

  /** The three daemons, in the order in which they are to be started. */
  List<DaemonSpec> specs() {
    RestClient resourceManagerRest = new RestClient(web(resourceManagerWeb));
    RestClient historyServerRest = new RestClient(web(historyServerWeb));
    return List.of(
        new DaemonSpec(
            RESOURCE_MANAGER,
            command("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", "-Xmx768m"),
            environment(),
            resourceManager,
            web(resourceManagerWeb),
            () -> resourceManagerRest.get("/ws/v1/cluster/info").isPresent()),
        new DaemonSpec(
            NODE_MANAGER,
            command("org.apache.hadoop.yarn.server.nodemanager.NodeManager", "-Xmx1g"),
            environment(),
            nodeManager,
            web(nodeManagerWeb),
            () -> hasRunningNode(resourceManagerRest)),
        new DaemonSpec(
            HISTORY_SERVER,
            command("org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer", "-Xmx512m"),
            environment(),
            historyServer,
            web(historyServerWeb),
            () -> historyServerRest.get("/ws/v1/history/info").isPresent()));
  }

  private static boolean hasRunningNode(RestClient resourceManager) {
    return resourceManager
        .get("/ws/v1/cluster/nodes?states=RUNNING")
        .map(answer -> !RestClient.elements(answer.path("nodes").path("node")).isEmpty())
        .orElse(false);
  }

  private List<String> command(String mainClass, String heap) {
    List<String> command = new ArrayList<>(List.of(Distribution.java(), heap));
    command.addAll(distribution.jvmOptions());
    command.add("-Dhadoop.log.dir=" + layout.logs());
    command.add("-Dyarn.log.dir=" + layout.logs());
    command.addAll(List.of("-cp", layout.conf() + ":" + distribution.hadoopClassPath(), mainClass));
    return command;
  }

  private Map<String, String> environment() {
    return Map.of(
        "HADOOP_CONF_DIR", layout.conf().toString(), "JAVA_HOME", System.getProperty("java.home"));
  }

  private static String web(String address) {
    return "http://" + address;
  }

  /**
   * Writes the site files.
   *
   * @param shuffle keys that make Sailfish known to jobs; empty on a cluster without it
   */
  void writeConfiguration(Map<String, String> shuffle) {
    Map<String, String> mapred = new LinkedHashMap<>(mapredSite());
    mapred.putAll(shuffle);
    // In each file, because each part of Hadoop reads its own defaults between them.
    Map<String, String> core = coreSite();
    Map<String, String> yarn = yarnSite();
    List.of(core, mapred, yarn).forEach(site -> site.putAll(new TreeMap<>(settings)));
    write("core-site.xml", core);
    write("mapred-site.xml", mapred);
    write("yarn-site.xml", yarn);
    write("capacity-scheduler.xml", capacityScheduler());
    try {
      Files.copy(
          distribution.conf("log4j.properties"),
          layout.conf().resolve("log4j.properties"),
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(String name, Map<String, String> properties) {
    SiteFile.write(layout.conf().resolve(name), Optional.empty(), properties);
  }

  private Map<String, String> coreSite() {
    return ordered(
        "fs.defaultFS", "file:///",
        "hadoop.tmp.dir", layout.data().resolve("tmp").toString(),
        "hadoop.http.staticuser.user", System.getProperty("user.name"));
  }

  private Map<String, String> mapredSite() {
    Path history = layout.data().resolve("history");
    return ordered(
        "mapreduce.framework.name", "yarn",
        "mapreduce.application.classpath", mapreduceClassPath(distribution),
        "yarn.app.mapreduce.am.staging-dir", layout.data().resolve("staging").toString(),
        "yarn.app.mapreduce.am.resource.mb", Integer.toString(MASTER_MB),
        "yarn.app.mapreduce.am.command-opts", MASTER_OPTIONS,
        "mapreduce.map.memory.mb", Integer.toString(TASK_MB),
        "mapreduce.map.java.opts", TASK_OPTIONS,
        "mapreduce.reduce.memory.mb", Integer.toString(TASK_MB),
        "mapreduce.reduce.java.opts", TASK_OPTIONS,
        "mapreduce.shuffle.port", Integer.toString(ports.next()),
        "mapreduce.jobhistory.address", historyServer,
        "mapreduce.jobhistory.admin.address", address(),
        "mapreduce.jobhistory.webapp.address", historyServerWeb,
        "mapreduce.jobhistory.intermediate-done-dir", history.resolve("intermediate").toString(),
        "mapreduce.jobhistory.done-dir", history.resolve("done").toString());
  }

  /**
   * The value of {@code mapreduce.application.classpath} with which tasks find Hadoop and Sailfish.
   * Sailfish comes first: a JVM looks for each class in one jar after the other, and Hadoop has two
   * hundred.
   */
  static String mapreduceClassPath(Distribution distribution) {
    return distribution.clientJar() + "," + distribution.hadoopClassPath();
  }

  private Map<String, String> yarnSite() {
    Map<String, String> site =
        ordered(
            "yarn.resourcemanager.hostname", HOST,
            "yarn.resourcemanager.address", resourceManager,
            "yarn.resourcemanager.scheduler.address", address(),
            "yarn.resourcemanager.resource-tracker.address", address(),
            "yarn.resourcemanager.admin.address", address(),
            "yarn.resourcemanager.webapp.address", resourceManagerWeb,
            "yarn.nodemanager.hostname", HOST,
            "yarn.nodemanager.address", nodeManager,
            "yarn.nodemanager.localizer.address", address(),
            "yarn.nodemanager.webapp.address", nodeManagerWeb,
            // Hadoop's jars come with mapreduce.application.classpath: naming them twice slows each
            // start.
            "yarn.application.classpath", layout.conf().toString());
    site.putAll(
        ordered(
            "yarn.nodemanager.aux-services", "mapreduce_shuffle",
            "yarn.nodemanager.local-dirs", layout.data().resolve("nodemanager").toString(),
            "yarn.nodemanager.log-dirs", layout.containerLogs().toString(),
            "yarn.nodemanager.resource.memory-mb",
                Integer.toString(MASTER_MB + TASKS_AT_A_TIME * TASK_MB),
            "yarn.nodemanager.resource.cpu-vcores", "8",
            "yarn.nodemanager.pmem-check-enabled", "false",
            "yarn.nodemanager.vmem-check-enabled", "false",
            // A nearly full disk is the user's business, not a reason to refuse a demo.
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100",
            "yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb", "0"));
    return site;
  }

  private static Map<String, String> capacityScheduler() {
    return ordered(
        "yarn.scheduler.capacity.root.queues", "default",
        "yarn.scheduler.capacity.root.default.capacity", "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
  }

  private static Map<String, String> ordered(String... keysAndValues) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
