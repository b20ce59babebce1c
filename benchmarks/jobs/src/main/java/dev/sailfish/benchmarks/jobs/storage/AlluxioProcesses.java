package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LogTail;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A master and a worker of Alluxio, whose files are in memory alone. They end with {@link #close}.
 * Not thread-safe.
 */
final class AlluxioProcesses implements AutoCloseable {
  private static final String HOST = "localhost";
  private static final Duration READY_DEADLINE = Duration.ofSeconds(120);
  private static final Duration READY_POLL = Duration.ofMillis(250);
  private static final Duration ASKING = Duration.ofSeconds(5);
  private static final int GRACE_S = 10;
  private static final Pattern ONE_WORKER =
      Pattern.compile("\"Cluster\\.Workers\"\\s*:\\s*\\{\\s*\"value\"\\s*:\\s*1\\b");
  private static final List<String> FLAGS =
      List.of("-Xmx1g", "-XX:MaxDirectMemorySize=2g", "-XX:+UseParallelGC");

  private final Path directory;
  private final Path lib;
  private final Map<String, String> properties = new TreeMap<>();
  private final List<Process> processes = new ArrayList<>();

  private AlluxioProcesses(Path directory, Path lib) {
    this.directory = directory;
    this.lib = lib;
  }

  /**
   * Starts them and waits until the worker is known to the master.
   *
   * @param directory of its own, for data and logs
   * @param lib with its jars
   * @throws CommandException a daemon does not start; its log is quoted
   */
  static AlluxioProcesses start(Path directory, Path lib) throws IOException {
    AlluxioProcesses alluxio = new AlluxioProcesses(Files.createDirectories(directory), lib);
    try {
      alluxio.startAll();
      return alluxio;
    } catch (IOException | RuntimeException e) {
      alluxio.close();
      throw e;
    }
  }

  private void startAll() throws IOException {
    for (String name : List.of("ufs", "mem", "journal", "logs")) {
      Files.createDirectories(directory.resolve(name));
    }
    properties.put("alluxio.home", directory.toString());
    properties.put("alluxio.logs.dir", directory.resolve("logs").toString());
    properties.put("alluxio.master.journal.type", "UFS");
    properties.put("alluxio.master.journal.folder", directory.resolve("journal").toString());
    properties.put("alluxio.master.metastore", "HEAP");
    properties.put("alluxio.master.mount.table.root.ufs", directory.resolve("ufs").toString());
    properties.put("alluxio.worker.ramdisk.size", "4GB");
    properties.put("alluxio.worker.tieredstore.level0.alias", "MEM");
    properties.put(
        "alluxio.worker.tieredstore.level0.dirs.path", directory.resolve("mem").toString());
    // A client whose host has another name than the worker's goes over the network, silently.
    for (String who : List.of("master", "worker", "user")) {
      properties.put("alluxio." + who + ".hostname", HOST);
    }
    addPorts();
    run("format-master", "alluxio.cli.Format", "master");
    run("format-worker", "alluxio.cli.Format", "worker");
    processes.add(java("master", "alluxio.master.AlluxioMaster"));
    processes.add(java("worker", "alluxio.worker.AlluxioWorker"));
    new Await(READY_DEADLINE, READY_POLL)
        .until(
            this::isReady,
            () -> "Alluxio does not start. Its worker's log ends:\n" + LogTail.of(log("worker")));
  }

  private void addPorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (String service :
          List.of("master.rpc.port", "master.web.port", "worker.rpc.port", "worker.web.port")) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        properties.put("alluxio." + service, Integer.toString(socket.getLocalPort()));
      }
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /** What its code reaches into, in servers and clients. */
  static List<String> opens() {
    return List.of(
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
  }

  private Path log(String name) {
    return directory.resolve(name + ".log");
  }

  private Process java(String name, String mainClass, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(opens());
    properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(List.of("-cp", lib + "/*", mainClass));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log(name).toFile())
        .start();
  }

  private void run(String name, String mainClass, String argument) throws IOException {
    Process process = java(name, mainClass, argument);
    try {
      if (!process.waitFor(READY_DEADLINE.toSeconds(), TimeUnit.SECONDS)
          || process.exitValue() != 0) {
        throw new CommandException(
            "Cannot start Alluxio: " + name + " failed:\n" + LogTail.of(log(name)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while Alluxio was formatted");
    } finally {
      process.destroyForcibly();
    }
  }

  private boolean isReady() {
    URI metrics =
        URI.create(
            "http://" + HOST + ":" + properties.get("alluxio.master.web.port") + "/metrics/json/");
    HttpRequest request = HttpRequest.newBuilder(metrics).timeout(ASKING).build();
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      return ONE_WORKER.matcher(answer.body()).find();
    } catch (IOException e) {
      return false; // not yet: that is the question
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while Alluxio started.", e);
    }
  }

  /** Root of its files. */
  String address() {
    return "alluxio://" + HOST + ":" + properties.get("alluxio.master.rpc.port");
  }

  /** Of a client's JVM: files stay in memory, and nothing is written below. */
  List<String> clientFlags() {
    List<String> flags = new ArrayList<>(opens());
    flags.add("-Dalluxio.user.hostname=" + HOST);
    flags.add("-Dalluxio.user.file.writetype.default=MUST_CACHE");
    return flags;
  }

  @Override
  public void close() {
    processes.forEach(Process::destroy);
    try {
      for (Process process : processes) {
        if (!process.waitFor(GRACE_S, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    } catch (InterruptedException e) {
      processes.forEach(Process::destroyForcibly);
      Thread.currentThread().interrupt();
    }
  }
}
