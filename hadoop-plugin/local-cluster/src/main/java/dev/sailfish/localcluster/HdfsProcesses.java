package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
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
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A NameNode and DataNodes, as processes of their own, for tests and as rivals in benchmarks. They
 * end with this JVM at the latest. Not thread-safe.
 */
public final class HdfsProcesses implements AutoCloseable {
  private static final String SERVERS = "org.apache.hadoop.hdfs.server.";
  private static final Duration READY_DEADLINE = Duration.ofSeconds(60);
  private static final Duration READY_POLL = Duration.ofMillis(100);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final int CONNECT_MS = 1_000;

  private final Path directory;
  private final Setup setup;
  private final int port;
  private final Map<String, String> common = new TreeMap<>();
  private final List<Process> processes = new ArrayList<>();
  private final Thread atExit = new Thread(this::kill, "stop-hdfs");
  private Path sockets;

  /**
   * How it is set up.
   *
   * @param dataNodes how many; each file has as many copies
   * @param classPath with Hadoop's jars, HDFS's servers among them
   * @param flags of the daemons' JVMs
   * @param nativeLibraries directory of {@code libhadoop.so}: with it clients on this machine read
   *     blocks from their files, past the DataNodes
   */
  public record Setup(
      int dataNodes, String classPath, List<String> flags, Optional<Path> nativeLibraries) {
    public Setup {
      flags = List.copyOf(flags);
    }
  }

  private HdfsProcesses(Path directory, Setup setup, int port) {
    this.directory = directory;
    this.setup = setup;
    this.port = port;
  }

  /**
   * Starts one, empty, and waits until it takes files.
   *
   * @param directory of its own, for data, configuration and logs; it stays when this is closed
   * @throws CommandException a daemon does not start; its log is quoted
   */
  public static HdfsProcesses start(Path directory, Setup setup) throws IOException {
    try (FreePorts ports = new FreePorts(new SplittableRandom(ProcessHandle.current().pid()))) {
      HdfsProcesses hdfs =
          new HdfsProcesses(Files.createDirectories(directory), setup, ports.next());
      Runtime.getRuntime().addShutdownHook(hdfs.atExit);
      try {
        hdfs.startAll();
        return hdfs;
      } catch (IOException | RuntimeException e) {
        hdfs.close();
        throw e;
      }
    }
  }

  private void startAll() throws IOException {
    // Their web servers want these folders, which only a release of Hadoop has.
    for (String web : List.of("hdfs", "datanode")) {
      Files.createDirectories(directory.resolve("web/webapps").resolve(web));
    }
    common.put("fs.defaultFS", address());
    common.put("dfs.replication", Integer.toString(setup.dataNodes()));
    // Closing a small file asks again after 400 ms by default, however soon its block is known.
    common.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "2");
    if (setup.nativeLibraries().isPresent()) {
      // No directory above the socket may be writable for all, as those for temporary files are.
      sockets = Files.createTempDirectory(Path.of(System.getProperty("user.home")), ".hdfs-");
      common.put("dfs.client.read.shortcircuit", "true");
      common.put("dfs.domain.socket.path", sockets.resolve("socket-_PORT").toString());
    }
    writeConfiguration(Files.createDirectories(clientConfiguration()), common, "WARN");
    startNameNode();
    for (int i = 1; i <= setup.dataNodes(); i++) {
      startDataNode(i);
    }
    int registered = setup.dataNodes() + 1;
    awaitReady(
        "namenode", () -> log("namenode").split("registerDatanode: from").length, registered);
  }

  private void startNameNode() throws IOException {
    Map<String, String> keys = new HashMap<>();
    keys.put("dfs.namenode.http-address", "127.0.0.1:0");
    keys.put("dfs.namenode.name.dir", directory.resolve("name").toString());
    // Space of deleted files comes back soon.
    keys.put("dfs.namenode.redundancy.interval.seconds", "1s");
    Process format = java("format", keys, "namenode.NameNode", "-format");
    try {
      if (!format.waitFor(READY_DEADLINE.toSeconds(), TimeUnit.SECONDS)
          || format.exitValue() != 0) {
        throw new CommandException("Cannot format HDFS. The log ends:\n" + tail("format"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while HDFS was formatted");
    } finally {
      format.destroyForcibly();
    }
    processes.add(java("namenode", keys, "namenode.NameNode"));
    awaitReady("namenode", () -> answers() ? 1 : 0, 1);
  }

  private void startDataNode(int number) throws IOException {
    Map<String, String> keys = new HashMap<>();
    keys.put("dfs.datanode.data.dir", directory.resolve("data" + number).toString());
    for (String service : List.of("address", "http.address", "ipc.address")) {
      keys.put("dfs.datanode." + service, "127.0.0.1:0");
    }
    keys.put("dfs.heartbeat.interval", "1s");
    processes.add(java("datanode" + number, keys, "datanode.DataNode"));
  }

  private Process java(String name, Map<String, String> keys, String mainClass, String... arguments)
      throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf-" + name));
    Map<String, String> all = new TreeMap<>(common);
    all.putAll(keys);
    writeConfiguration(conf, all, "INFO");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(setup.flags());
    for (String open : List.of("lang", "util", "nio", "net")) {
      command.add("--add-opens=java.base/java." + open + "=ALL-UNNAMED");
    }
    setup.nativeLibraries().ifPresent(path -> command.add("-Djava.library.path=" + path));
    command.add("-cp");
    command.add(conf + ":" + directory.resolve("web") + ":" + setup.classPath());
    command.add(SERVERS + mainClass);
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(logFile(name).toFile())
        .start();
  }

  /** In both files: HDFS reads its own defaults between them. */
  private static void writeConfiguration(Path conf, Map<String, String> keys, String level)
      throws IOException {
    SiteFile.write(conf.resolve("core-site.xml"), Optional.empty(), keys);
    SiteFile.write(conf.resolve("hdfs-site.xml"), Optional.empty(), keys);
    Files.writeString(
        conf.resolve("log4j.properties"),
        """
        log4j.rootLogger=%s,out
        log4j.appender.out=org.apache.log4j.ConsoleAppender
        log4j.appender.out.layout=org.apache.log4j.PatternLayout
        log4j.appender.out.layout.ConversionPattern=%%d %%p %%c: %%m%%n
        """
            .formatted(level));
  }

  private void awaitReady(String name, IntSupplier count, int enough) {
    new Await(READY_DEADLINE, READY_POLL)
        .until(
            () -> {
              if (!processes.stream().allMatch(Process::isAlive)) {
                throw new CommandException(
                    "A daemon of HDFS has ended while it started: see the logs in " + directory);
              }
              return count.getAsInt() >= enough;
            },
            () -> "HDFS does not start. The log of its " + name + " ends:\n" + tail(name));
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(FreePorts.HOST, port), CONNECT_MS);
      return true;
    } catch (IOException e) {
      return false; // not yet: that is the question
    }
  }

  private Path logFile(String name) {
    return directory.resolve(name + ".log");
  }

  private String log(String name) {
    try {
      return Files.readString(logFile(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String tail(String name) {
    return LogTail.of(logFile(name));
  }

  /** What clients set as {@code fs.defaultFS}. */
  public String address() {
    return "hdfs://" + FreePorts.HOST + ":" + port;
  }

  /** Directory with the configuration of clients, for their class path. */
  public Path clientConfiguration() {
    return directory.resolve("conf-client");
  }

  /**
   * What jobs set that use it beside another default file system: its copies, and how clients reach
   * its blocks.
   */
  public Map<String, String> clientKeys() {
    Map<String, String> keys = new TreeMap<>(common);
    keys.remove("fs.defaultFS");
    return keys;
  }

  /** CPU seconds of its daemons since they were started. */
  public double cpuSeconds() {
    return processes.stream()
        .flatMap(process -> ProcessStat.read(process.pid()).stream())
        .mapToDouble(stat -> (double) stat.cpuTicks() / ProcessStat.TICKS_PER_SECOND)
        .sum();
  }

  /** The process of the NameNode, for tests that stop it. */
  public ProcessHandle nameNode() {
    return processes.get(0).toHandle();
  }

  /** Ends the daemons; waits until they are gone. */
  @Override
  public void close() {
    processes.forEach(Process::destroy);
    try {
      for (Process process : processes) {
        if (!process.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // the JVM ends, and its hooks with it
    }
  }

  private void kill() {
    processes.forEach(Process::destroyForcibly);
    if (sockets != null) {
      Directories.delete(sockets);
    }
  }
}
