package dev.sailfish.benchmarks.store.failover;

import dev.sailfish.ground.wire.Credentials;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Three masters as processes. For one thread. */
final class Masters implements Closeable {
  private static final String MAIN = "dev.sailfish.lineage.master.LineageMaster";
  private static final List<String> IDS = List.of("a", "b", "c");
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final long DEADLINE_S = 180;

  /** The product's, and who is elected when. */
  private static final String LOGGING =
      """
      <configuration>
        <appender name="log" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{yyyy-MM-dd HH:mm:ss.SSS} %level %logger{0}: %msg%n</pattern></encoder>
        </appender>
        <logger name="org.apache.ratis" level="WARN"/>
        <logger name="org.apache.ratis.util.LifeCycle" level="OFF"/>
        <logger name="org.apache.ratis.server.RaftServer$Division" level="INFO"/>
        <root level="INFO"><appender-ref ref="log"/></root>
      </configuration>
      """;

  private final List<MasterProcess> all = new ArrayList<>();

  /** A condition that is asked for again and again. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Starts them, and waits until one leads.
   *
   * @param directory gets their files
   * @param heap of each, as {@code -Xmx} says it
   * @param snapshotEntries changes after which each writes a snapshot
   */
  Masters(Path directory, String heap, int snapshotEntries) throws IOException {
    Path secret = Files.write(directory.resolve("secret"), SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Path logging = Files.writeString(directory.resolve("logback.xml"), LOGGING);
    List<Integer> ports = freePorts(2 * IDS.size());
    List<String> peers = new ArrayList<>();
    for (int i = 0; i < IDS.size(); i++) {
      peers.add(IDS.get(i) + "=127.0.0.1:" + ports.get(i));
    }
    for (int i = 0; i < IDS.size(); i++) {
      String id = IDS.get(i);
      int webPort = ports.get(IDS.size() + i);
      Path properties = directory.resolve(id + ".properties");
      Files.write(
          properties,
          List.of(
              "sailfish.lineage.master.host=127.0.0.1",
              "sailfish.lineage.master.port=" + ports.get(i),
              "sailfish.lineage.master.web.port=" + webPort,
              "sailfish.lineage.master.cluster.secret.file=" + secret,
              "sailfish.lineage.master.journal.dir=" + directory.resolve("journal-" + id),
              "sailfish.lineage.master.journal.snapshot.entries=" + snapshotEntries,
              "sailfish.lineage.master.peer=" + id,
              "sailfish.lineage.master.peers=" + String.join(",", peers)));
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", ports.get(i));
      List<String> command = command(heap, logging, properties);
      all.add(new MasterProcess(id, address, webPort, directory, command));
    }
    // When this process ends early, none of them is left.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> all.forEach(MasterProcess::destroy)));
    for (MasterProcess each : all) {
      each.start();
    }
    leader();
  }

  private static List<String> command(String heap, Path logging, Path properties) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> !flag.startsWith("-X"))
        .forEach(command::add);
    command.add("-Xmx" + heap);
    command.add("-Dlogback.configurationFile=" + logging);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
    command.add(properties.toString());
    return command;
  }

  /** From below the range of outgoing connections, and none that a local cluster takes. */
  private static List<Integer> freePorts(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    for (int port = 11_000 + (int) (ProcessHandle.current().pid() % 8_000);
        ports.size() < count;
        port++) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        ports.add(port);
      } catch (java.net.BindException inUse) {
        continue;
      }
    }
    return ports;
  }

  static Credentials credentials() {
    return Credentials.ofCluster(SECRET);
  }

  List<MasterProcess> all() {
    return all;
  }

  List<InetSocketAddress> addresses() {
    return all.stream().map(MasterProcess::address).toList();
  }

  /** The one that leads; waits until there is one. */
  MasterProcess leader() throws IOException {
    MasterProcess[] found = new MasterProcess[1];
    await(
        "a master leads",
        () -> {
          for (MasterProcess each : all) {
            found[0] = each.leads() ? each : found[0];
          }
          return found[0] != null;
        });
    return found[0];
  }

  /** Waits until any of them may be stopped. */
  void awaitReady() throws IOException {
    await(
        "all masters are ready",
        () -> {
          for (MasterProcess each : all) {
            if (!each.isReady()) {
              return false;
            }
          }
          return true;
        });
  }

  /** Waits until all of them have so many files. */
  void awaitFiles(long files) throws IOException {
    await(
        "all masters have files=" + files,
        () -> {
          for (MasterProcess each : all) {
            if (each.gauge("files") != files) {
              return false;
            }
          }
          return true;
        });
  }

  static void await(String what, Condition condition) throws IOException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    while (!condition.holds()) {
      if (System.nanoTime() - endNs > 0) {
        throw new IOException("not in " + DEADLINE_S + " s: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  @Override
  public void close() throws IOException {
    for (MasterProcess each : all) {
      each.kill();
    }
  }
}
