package dev.sailfish.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
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

/** Three peers as processes, whose port and web port are the same in each of their lives. */
final class CounterCluster implements Closeable {
  static final byte[] SECRET = "the secret of three counters".getBytes(StandardCharsets.US_ASCII);

  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final List<String> IDS = List.of("a", "b", "c");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
  private final Map<DaemonProcess, Integer> webPorts = new LinkedHashMap<>();
  private final List<Process> processes = new ArrayList<>();

  CounterCluster(Path directory) throws IOException {
    List<Integer> free = IntStream.range(0, 2 * IDS.size()).mapToObj(i -> FreePort.next()).toList();
    String peers =
        IDS.stream()
            .map(id -> id + "=127.0.0.1:" + free.get(IDS.indexOf(id)))
            .collect(Collectors.joining(","));
    Path secret = Files.write(directory.resolve("secret"), SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    for (String id : IDS) {
      int port = free.get(IDS.indexOf(id));
      int webPort = free.get(IDS.size() + IDS.indexOf(id));
      Map<String, Object> settings =
          Map.of(
              "host", "127.0.0.1",
              "port", port,
              "web.port", webPort,
              "cluster.secret.file", secret,
              "journal.dir", directory.resolve("journal-" + id),
              "journal.snapshot.entries", 2000,
              "peer", id,
              "peers", peers);
      Path properties =
          Files.write(
              directory.resolve(id + ".properties"),
              settings.entrySet().stream()
                  .map(one -> "sailfish.counter." + one.getKey() + "=" + one.getValue())
                  .toList());
      Path log = directory.resolve(id + ".log");
      Process process =
          new ProcessBuilder(
                  ChildJvm.command(
                      CounterServer.class,
                      List.of("-Xmx128m", "-XX:+UseSerialGC"),
                      properties.toString()))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      processes.add(process);
      webPorts.put(
          new DaemonProcess(
              id,
              new InetSocketAddress("127.0.0.1", port),
              process.pid(),
              log,
              () -> page(webPort, "/ready").equals("ready\n")),
          webPort);
    }
    webPorts.keySet().forEach(peer -> await(peer + " serves").atMost(DEADLINE).until(peer::serves));
  }

  List<InetSocketAddress> addresses() {
    return webPorts.keySet().stream().map(DaemonProcess::address).toList();
  }

  /** The peer that leads; waits until there is one. */
  DaemonProcess awaitLeader() {
    return await("a peer leads").atMost(DEADLINE).until(this::leader, Optional::isPresent).get();
  }

  private Optional<DaemonProcess> leader() {
    return webPorts.entrySet().stream()
        .filter(peer -> page(peer.getValue(), "/metrics").contains("sailfish_counter_leads 1.0"))
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

  @Override
  public void close() throws IOException {
    for (DaemonProcess peer : webPorts.keySet()) {
      peer.process().handle().destroyForcibly();
    }
    processes.forEach(Process::destroyForcibly);
    await("all have ended")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(webPorts.keySet().stream().filter(DaemonProcess::isRunning)).isEmpty());
  }
}
