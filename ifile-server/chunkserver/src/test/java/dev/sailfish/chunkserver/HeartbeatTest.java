package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class HeartbeatTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final TestIfile IFILE =
      new TestIfile("job_7", 0, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);

  @TempDir private Path directory;

  @Test
  void shouldRegisterAndRegisterAgainWhenItIsAsked(SplittableRandom random) throws IOException {
    try (TestServer server = TestServer.start(directory);
        ChunkserverClient client = server.connect()) {
      await().atMost(DEADLINE).until(() -> server.metaserver().registrations().size() == 1);
      RegisterChunkserverRequest first = server.metaserver().registrations().get(0);
      assertThat(first.getServerId()).isEqualTo(server.server().id());
      assertThat(first.getHost()).isEqualTo("127.0.0.1");
      assertThat(first.getPort()).isEqualTo(server.server().port());
      assertThat(first.getWebPort()).isEqualTo(server.server().webPort());
      assertThat(first.getMemoryCapacity()).isEqualTo(256 << 20);
      TestBlock block =
          TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.NONE, 100);
      assertThat(IFILE.append(client, 3, block)).isNull();
      server.metaserver().command(HeartbeatResponse.newBuilder().setRegisterAgain(true).build());
      await().atMost(DEADLINE).until(() -> server.metaserver().registrations().size() == 2);
      assertThat(server.metaserver().registrations().get(1).getChunksList())
          .singleElement()
          .satisfies(chunk -> assertThat(chunk.getChunk()).isEqualTo(3));
    }
  }

  @Test
  void shouldServeWithoutAMetaserverAndFindItLater(SplittableRandom random) throws IOException {
    // Holds a port on which nobody listens.
    Socket reserved = new Socket();
    reserved.bind(new InetSocketAddress("127.0.0.1", 0));
    int port = reserved.getLocalPort();
    try (TestServer server =
            new TestServer(
                directory, new HashMap<>(Map.of("metaserver.address", "127.0.0.1:" + port)));
        ChunkserverClient client = server.connect()) {
      TestBlock block =
          TestBlock.random(random, new TestBlock.Source(0, 0, 0, 0), CodecId.NONE, 100);
      assertThat(IFILE.append(client, 3, block)).isNull();
      IFILE.assertHolds(client, 3, List.of(block));
      await().atMost(DEADLINE).until(() -> server.count(ChunkserverMetric.HEARTBEAT_FAILURES) > 1);
      assertThat(server.count(ChunkserverMetric.WARNINGS)).isEqualTo(1);
      assertThat(page(server, "/ready").getResponseCode()).isEqualTo(503);
      assertThat(page(server, "/status").getInputStream())
          .asString(StandardCharsets.UTF_8)
          .contains("\"warnings\":{\"metaserver\":\"metaserver is out of reach")
          .contains("sailfish.chunkserver.metaserver.address=127.0.0.1:" + port);
      reserved.close();
      try (FakeMetaserver late = new FakeMetaserver(port)) {
        await()
            .atMost(DEADLINE)
            .untilAsserted(() -> assertThat(late.chunks()).containsOnlyKeys(3L));
        late.deleteJob(IFILE.job());
        server.awaitCount(ChunkserverMetric.DELETED_JOBS, 1);
        assertThat(server.count(ChunkserverMetric.WARNINGS)).isZero();
        assertThat(page(server, "/ready").getResponseCode()).isEqualTo(200);
      }
      assertThat(IFILE.append(client, 4, block)).isEqualTo(Status.JOB_UNKNOWN);
    }
  }

  private static HttpURLConnection page(TestServer server, String path) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + server.server().webPort() + path);
    return (HttpURLConnection) uri.toURL().openConnection();
  }
}
