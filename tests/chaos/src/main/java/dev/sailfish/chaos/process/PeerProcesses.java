package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three peers of a replicated service as processes, whose port and web port are the same in each of
 * their lives.
 */
public final class PeerProcesses implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(120);
  private static final List<String> IDS = List.of("a", "b", "c");

  /** What a peer's process is started with. */
  @FunctionalInterface
  public interface Wrapper {
    /** Nothing. */
    Wrapper NONE = id -> List.of();

    /**
     * Words before those of the peer's own command, which they become in the end. A peer that is
     * started again goes without them.
     */
    List<String> words(String id);
  }

  private final String leads;
  private final Wrapper wrapper;
  private final Path directory;
  private final Path secretFile;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
  private final Map<DaemonProcess, Integer> webPorts = new LinkedHashMap<>();
  private final List<Process> processes = new ArrayList<>();

  /**
   * Starts them, and waits until they serve.
   *
   * @param main the daemon, whose argument is its properties file
   * @param prefix of its keys
   * @param leads its metric that is 1 on the peer that leads
   * @param secret of the cluster
   * @param directory gets their files
   */
  public PeerProcesses(Class<?> main, String prefix, String leads, byte[] secret, Path directory)
      throws IOException {
    this(main, prefix, leads, secret, directory, Wrapper.NONE);
  }

  /** The same, with something around each process. */
  public PeerProcesses(
      Class<?> main, String prefix, String leads, byte[] secret, Path directory, Wrapper wrapper)
      throws IOException {
    this.wrapper = wrapper;
    this.leads = leads;
    this.directory = directory;
    List<Integer> free = IntStream.range(0, 2 * IDS.size()).mapToObj(i -> FreePort.next()).toList();
    String peers =
        IDS.stream()
            .map(id -> id + "=127.0.0.1:" + free.get(IDS.indexOf(id)))
            .collect(Collectors.joining(","));
    secretFile = Files.write(directory.resolve("secret"), secret);
    Files.setPosixFilePermissions(secretFile, PosixFilePermissions.fromString("rw-------"));
    for (String id : IDS) {
      int port = free.get(IDS.indexOf(id));
      int webPort = free.get(IDS.size() + IDS.indexOf(id));
      Map<String, Object> settings =
          Map.of(
              "host", "127.0.0.1",
              "port", port,
              "web.port", webPort,
              "cluster.secret.file", secretFile,
              "journal.dir", directory.resolve("journal-" + id),
              "journal.snapshot.entries", 2000,
              "peer", id,
              "peers", peers);
      start(main, prefix, id, port, webPort, settings);
    }
    webPorts.keySet().forEach(peer -> await(peer + " serves").atMost(DEADLINE).until(peer::serves));
  }

  /**
   * Starts another daemon beside them, ended with them, and waits until it serves.
   *
   * @param main the daemon, whose argument is its properties file
   * @param prefix of its keys
   * @param settings beside its ports and the secret
   */
  public DaemonProcess startBeside(
      Class<?> main, String prefix, String name, Map<String, Object> settings) throws IOException {
    int port = FreePort.next();
    int webPort = FreePort.next();
    Map<String, Object> all = new LinkedHashMap<>(settings);
    all.put("port", port);
    all.put("web.port", webPort);
    all.put("cluster.secret.file", secretFile);
    DaemonProcess daemon = start(main, prefix, name, port, webPort, all);
    await(name + " serves").atMost(DEADLINE).until(daemon::serves);
    return daemon;
  }

  private DaemonProcess start(
      Class<?> main, String prefix, String id, int port, int webPort, Map<String, Object> settings)
      throws IOException {
    Path properties =
        Files.write(
            directory.resolve(id + ".properties"),
            settings.entrySet().stream()
                .map(one -> prefix + one.getKey() + "=" + one.getValue())
                .toList());
    Path log = properties.resolveSibling(id + ".log");
    List<String> own =
        ChildJvm.command(main, List.of("-Xmx128m", "-XX:+UseSerialGC"), properties.toString());
    List<String> command = new ArrayList<>(wrapper.words(id));
    command.addAll(own);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    processes.add(process);
    await(id + " is itself").atMost(DEADLINE).until(() -> isItself(process, own));
    DaemonProcess daemon =
        new DaemonProcess(
            id,
            new InetSocketAddress("127.0.0.1", port),
            process.pid(),
            log,
            () -> page(webPort, "/ready").equals("ready\n"));
    webPorts.put(daemon, webPort);
    return daemon;
  }

  /** What a peer's wrapper was must not be started again in its place. */
  private static boolean isItself(Process process, List<String> command) {
    return RunningProcess.read(process.pid())
        .filter(running -> running.arguments().indexOf(command.get(0)) == 0)
        .isPresent();
  }

  /** The peers, without what was started beside them. */
  public List<DaemonProcess> peers() {
    return webPorts.keySet().stream().filter(daemon -> IDS.contains(daemon.name())).toList();
  }

  /** Where they listen. */
  public List<InetSocketAddress> addresses() {
    return peers().stream().map(DaemonProcess::address).toList();
  }

  /** The peer that leads; waits until there is one. */
  public DaemonProcess awaitLeader() {
    return await("a peer leads").atMost(DEADLINE).until(this::leader, Optional::isPresent).get();
  }

  private Optional<DaemonProcess> leader() {
    return webPorts.entrySet().stream()
        .filter(peer -> page(peer.getValue(), "/metrics").contains(leads + " 1.0"))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** A web page of a peer; empty when there is no answer. */
  private String page(int port, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(DEADLINE)
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Kills them all, and waits until they have ended. */
  @Override
  public void close() {
    for (DaemonProcess peer : webPorts.keySet()) {
      peer.process().handle().destroyForcibly();
    }
    processes.forEach(Process::destroyForcibly);
    await("all have ended")
        .atMost(DEADLINE)
        .until(() -> webPorts.keySet().stream().noneMatch(DaemonProcess::isRunning));
  }
}
