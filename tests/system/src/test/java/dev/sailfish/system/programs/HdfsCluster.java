package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.localcluster.SiteFile;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A NameNode and two DataNodes, as processes of their own. */
public final class HdfsCluster {
  private static final String SERVERS = "org.apache.hadoop.hdfs.server.";
  private static final Duration START = Duration.ofMinutes(1);
  private static final int DATA_NODES = 2;

  private final Path directory;
  private final int port = FreePort.next();
  private final List<Process> processes = new ArrayList<>();

  private HdfsCluster(Path directory) {
    this.directory = directory;
  }

  /** Starts one, empty, and waits until it takes files. */
  public static HdfsCluster start(Path directory) throws Exception {
    HdfsCluster cluster = new HdfsCluster(Files.createDirectories(directory));
    // Their web servers want these folders, which only a release of Hadoop has.
    for (String web : List.of("hdfs", "datanode")) {
      Files.createDirectories(directory.resolve("web/webapps").resolve(web));
    }
    Map<String, String> name = Map.of("dfs.namenode.http-address", "127.0.0.1:0");
    Process format = cluster.java("format", name, "namenode.NameNode", "-format");
    assertThat(format.waitFor(START.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(format.exitValue()).as(cluster.log("format")).isZero();
    cluster.processes.add(cluster.java("namenode", name, "namenode.NameNode"));
    await().atMost(START).until(cluster::answers);
    for (int i = 1; i <= DATA_NODES; i++) {
      Map<String, String> data = new HashMap<>();
      data.put("dfs.datanode.data.dir", directory.resolve("data" + i).toString());
      data.put("dfs.datanode.address", "127.0.0.1:0");
      data.put("dfs.datanode.http.address", "127.0.0.1:0");
      data.put("dfs.datanode.ipc.address", "127.0.0.1:0");
      cluster.processes.add(cluster.java("datanode" + i, data, "datanode.DataNode"));
    }
    await()
        .atMost(START)
        .until(() -> cluster.log("namenode").split("registerDatanode: from").length > DATA_NODES);
    return cluster;
  }

  private Process java(String name, Map<String, String> keys, String mainClass, String... arguments)
      throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf-" + name));
    Map<String, String> all = new HashMap<>(keys);
    all.put("dfs.namenode.name.dir", directory.resolve("name").toString());
    all.put("dfs.replication", Integer.toString(DATA_NODES));
    SiteFile.write(conf.resolve("hdfs-site.xml"), Optional.empty(), all);
    SiteFile.write(
        conf.resolve("core-site.xml"), Optional.empty(), Map.of("fs.defaultFS", address()));
    Files.writeString(
        conf.resolve("log4j.properties"),
        """
        log4j.rootLogger=INFO,out
        log4j.appender.out=org.apache.log4j.ConsoleAppender
        log4j.appender.out.layout=org.apache.log4j.PatternLayout
        log4j.appender.out.layout.ConversionPattern=%d %p %c: %m%n
        """);
    Path root = SailfishCommand.projectRoot();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String open : List.of("lang", "util", "nio", "net")) {
      command.add("--add-opens=java.base/java." + open + "=ALL-UNNAMED");
    }
    command.add("-cp");
    command.add(
        String.join(
            ":",
            conf.toString(),
            directory.resolve("web").toString(),
            root.resolve("hadoop-plugin/cli/target/dist/hadoop/lib") + "/*",
            root.resolve("tests/runtimes/hdfs/target/lib") + "/*"));
    command.add(SERVERS + mainClass);
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(logFile(name).toFile())
        .start();
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Path logFile(String name) {
    return directory.resolve(name + ".log");
  }

  private String log(String name) throws IOException {
    return Files.readString(logFile(name));
  }

  /** What clients set as {@code fs.defaultFS}. */
  public String address() {
    return "hdfs://127.0.0.1:" + port;
  }

  /** Has the NameNode answer nobody, or go on. */
  public void suspendNameNode(boolean suspended) throws Exception {
    String signal = suspended ? "-STOP" : "-CONT";
    String pid = Long.toString(processes.get(0).pid());
    assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
  }

  /** Ends one that has started. */
  public static void stop(HdfsCluster cluster) throws InterruptedException {
    if (cluster == null) {
      return;
    }
    cluster.processes.forEach(Process::destroy);
    for (Process process : cluster.processes) {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      }
    }
  }
}
