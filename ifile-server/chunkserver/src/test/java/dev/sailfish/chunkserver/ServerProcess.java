package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.protocol.client.ChunkserverClient;
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

/** A chunkserver in a process of its own, which can be killed and started again. */
public final class ServerProcess implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path directory;
  private final Path properties;
  private final int port;
  private final FakeMetaserver metaserver;
  private Process process;
  private Path log;
  private int starts;

  /**
   * Starts it.
   *
   * @param settings without the prefix of their keys; over the defaults of this class
   */
  public ServerProcess(Path directory, Map<String, String> settings) throws IOException {
    this.directory = directory;
    this.metaserver = new FakeMetaserver(0);
    this.port = FreePort.next();
    Map<String, String> all = new TreeMap<>();
    all.put("host", "127.0.0.1");
    all.put("bind", "127.0.0.1");
    all.put("port", Integer.toString(port));
    all.put("web.port", "0");
    all.put("authentication", "none");
    all.put("metaserver.address", "127.0.0.1:" + metaserver.port());
    all.put("memory.dir", directory.resolve("memory").toString());
    all.put("memory.size", "256m");
    all.put("growth", "64k");
    all.put("sorter.memory", "64m");
    all.putAll(settings);
    List<String> lines = new ArrayList<>();
    all.forEach((key, value) -> lines.add(ChunkserverConfig.PREFIX + key + "=" + value));
    this.properties = Files.write(directory.resolve("chunkserver.properties"), lines);
    start();
  }

  /**
   * Starts the process and waits until it serves.
   *
   * @param flags of the JVM, besides those that it always gets
   */
  public void start(String... flags) throws IOException {
    log = directory.resolve("chunkserver-" + starts++ + ".log");
    List<String> all = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC"));
    all.addAll(List.of(flags));
    List<String> command = ChildJvm.command(ChunkserverMain.class, all, properties.toString());
    process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    await("chunkserver serves, log=" + log)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(this::serves);
  }

  private boolean serves() {
    assertThat(process.isAlive()).as("process is alive").isTrue();
    try (ChunkserverClient client = connect()) {
      return client.listChunks("").getChunksCount() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends the process as {@code kill -9} does, and waits until it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** Waits until the process has ended by itself, and returns its exit code. */
  int awaitExit() throws IOException, InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("process ends by itself; its log: %s", log())
        .isTrue();
    return process.exitValue();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  public ChunkserverClient connect() throws IOException {
    return ChunkserverClient.connect(
        new InetSocketAddress("127.0.0.1", port), "test", TestIfile.DEADLINE);
  }

  public FakeMetaserver metaserver() {
    return metaserver;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    metaserver.close();
  }
}
