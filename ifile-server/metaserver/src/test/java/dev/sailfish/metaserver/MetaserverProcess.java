package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A metaserver in a process of its own, with a heap of its own. */
final class MetaserverProcess implements Closeable {
  static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Path directory;
  private final Map<String, String> settings = new TreeMap<>();
  private final int port;
  private Process process;
  private Path log;
  private int starts;

  /**
   * Does not start it.
   *
   * @param more without the prefix of their keys; over the defaults of this class
   */
  MetaserverProcess(Path directory, int port, Map<String, String> more) {
    this.directory = directory;
    this.port = port;
    settings.put("host", "127.0.0.1");
    settings.put("port", Integer.toString(port));
    settings.put("web.port", "0");
    settings.put("authentication", "none");
    settings.put("journal.dir", directory.resolve("journal").toString());
    settings.putAll(more);
  }

  static MetaserverProcess in(Path directory) throws IOException {
    return new MetaserverProcess(directory, FreePort.next(), Map.of());
  }

  /** Starts the process; {@link #awaitLead} waits until it serves. */
  void launch(String... flags) throws IOException {
    Files.createDirectories(directory);
    List<String> lines = new ArrayList<>();
    settings.forEach((key, value) -> lines.add(MetaserverKey.PREFIX + key + "=" + value));
    Path properties = Files.write(directory.resolve("metaserver.properties"), lines);
    log = directory.resolve("metaserver-" + starts++ + ".log");
    List<String> all = new ArrayList<>(List.of(flags));
    all.add("-Dlogback.configurationFile=logback.xml"); // that of daemons, not that of tests
    List<String> command = ChildJvm.command(MetaserverMain.class, all, properties.toString());
    process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  void awaitLead() {
    await("metaserver leads, log=" + log)
        .atMost(Duration.ofSeconds(180))
        .pollInterval(Duration.ofMillis(100))
        .until(this::leads);
  }

  /** Whether it serves now; it must be alive. */
  boolean leads() throws IOException {
    assertThat(process.isAlive()).as("process is alive, its log: %s", log()).isTrue();
    return counter(MetaserverMetric.LEADS.fullName()) == 1;
  }

  /** What it counts under a label, or 0 while it does not answer. */
  long counter(String label) {
    try (MetaserverClient client = connect()) {
      return client.status().getCountersOrThrow(label);
    } catch (IOException e) {
      return 0;
    }
  }

  MetaserverClient connect() throws IOException {
    return MetaserverClient.connect(address(), "test", DEADLINE);
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", port);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until the process has ended by itself, and returns its exit code. */
  int awaitExit(Duration patience) throws IOException, InterruptedException {
    assertThat(process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS))
        .as("process ends by itself; its log: %s", log())
        .isTrue();
    return process.exitValue();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  /** Ends the process as {@code kill -9} does, and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** Has the process do nothing for some time, as a long garbage collection does. */
  void standStill(int seconds) throws IOException, InterruptedException {
    String words = "kill -STOP $0 && sleep " + seconds + " && kill -CONT $0";
    Process shell = new ProcessBuilder("sh", "-c", words, "" + process.pid()).start();
    assertThat(shell.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(shell.exitValue()).isZero();
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
