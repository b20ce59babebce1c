package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverMain;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A chunkserver in a process of its own, which can be killed and started again at its port. */
final class ChunkserverProcess implements Closeable {
  private final Path directory;
  private final Path store;
  private final Path properties;
  private Process process;
  private int starts;

  /**
   * Starts it.
   *
   * @param memory whether its chunks are in memory; else on disk
   */
  ChunkserverProcess(Path directory, int metaserverPort, boolean memory) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.store = directory.resolve(memory ? "memory" : "data").resolve("segments");
    Map<String, String> settings = new TreeMap<>();
    settings.put("port", Integer.toString(FreePort.next()));
    settings.put("host", "127.0.0.1");
    settings.put("bind", "127.0.0.1");
    settings.put("web.port", "0");
    settings.put("authentication", "none");
    settings.put("metaserver.address", "127.0.0.1:" + metaserverPort);
    settings.put("memory.dir", memory ? store.getParent().toString() : "none");
    settings.put("data.dirs", memory ? "" : store.getParent().toString());
    settings.put("memory.size", "256m");
    settings.put("growth", "64k");
    settings.put("sorter.memory", "64m");
    settings.put("heartbeat", "50ms");
    List<String> lines = new ArrayList<>();
    settings.forEach((key, value) -> lines.add(ChunkserverConfig.PREFIX + key + "=" + value));
    this.properties = Files.write(directory.resolve("chunkserver.properties"), lines);
    start();
  }

  /** Starts the process; it serves some time later. */
  void start() throws IOException {
    process =
        new ProcessBuilder(
                ChildJvm.command(
                    ChunkserverMain.class,
                    List.of("-Xmx256m", "-XX:+UseSerialGC"),
                    properties.toString()))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log-" + starts++).toFile())
            .start();
  }

  /** Ends the process as {@code kill -9} does, and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Files of chunks. */
  long segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files.filter(file -> !file.getFileName().toString().startsWith("+")).count();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
