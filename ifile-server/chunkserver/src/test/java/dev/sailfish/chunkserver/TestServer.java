package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.protocol.client.ChunkserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A chunkserver in this process, with small limits and a metaserver that does what the test says.
 */
public final class TestServer implements Closeable {
  private final Path directory;
  private final FakeMetaserver metaserver;
  private final Chunkserver server;
  private final boolean keepsChunks;

  TestServer(Path directory, Map<String, String> settings) throws IOException {
    this.directory = directory;
    this.metaserver = new FakeMetaserver(0);
    Map<String, String> all = new HashMap<>();
    all.put("host", "127.0.0.1");
    all.put("bind", "127.0.0.1");
    all.put("port", "0");
    all.put("web.port", "0");
    all.put("metaserver.address", "127.0.0.1:" + metaserver.port());
    all.put("memory.dir", directory.resolve("memory").toString());
    all.put("memory.size", "256m");
    all.put("keep.chunks", "false");
    all.put("growth", "64k");
    all.put("sorter.threads", "2");
    all.put("sorter.memory", "256m");
    all.put("authentication", "none");
    all.putAll(settings);
    this.keepsChunks = all.get("keep.chunks").equals("true");
    Map<String, String> prefixed = new HashMap<>();
    all.forEach((key, value) -> prefixed.put(ChunkserverConfig.PREFIX + key, value));
    this.server = Chunkserver.start(ChunkserverConfig.of(prefixed));
  }

  public static TestServer start(Path directory, String... settings) throws IOException {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      map.put(settings[i], settings[i + 1]);
    }
    return new TestServer(directory, map);
  }

  public Chunkserver server() {
    return server;
  }

  public FakeMetaserver metaserver() {
    return metaserver;
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  public ChunkserverClient connect() throws IOException {
    return ChunkserverClient.connect(address(), "test", TestIfile.DEADLINE);
  }

  public long count(ChunkserverMetric counter) {
    return server.metrics().get(counter.fullName());
  }

  void awaitCount(ChunkserverMetric counter, long value) {
    await(counter.fullName())
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(count(counter)).isEqualTo(value));
  }

  /** Waits until the metaserver knows this server. */
  public void awaitHeartbeats() {
    await().atMost(Duration.ofSeconds(30)).until(() -> count(ChunkserverMetric.HEARTBEATS) > 0);
  }

  /** Deletes a job and waits until nothing of it takes space. */
  public void deleteJobAndAwaitNothingUsed(String job) {
    long deleted = count(ChunkserverMetric.DELETED_JOBS);
    metaserver.deleteJob(job);
    awaitCount(ChunkserverMetric.DELETED_JOBS, deleted + 1);
    awaitCount(ChunkserverMetric.MEMORY_USED_BYTES, 0);
    awaitCount(ChunkserverMetric.DISK_USED_BYTES, 0);
  }

  @Override
  public void close() throws IOException {
    server.close();
    metaserver.close();
    if (!keepsChunks) {
      assertThat(directory.resolve("memory")).doesNotExist();
    }
  }

  /** Files of segments on disk. */
  public static long segmentFiles(Path dataDirectory) throws IOException {
    try (Stream<Path> files = Files.list(dataDirectory.resolve("segments"))) {
      return files.filter(file -> !file.getFileName().toString().startsWith("+")).count();
    }
  }
}
