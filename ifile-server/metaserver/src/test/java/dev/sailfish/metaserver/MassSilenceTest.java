package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A metaserver that hears nobody any more, over real sockets. */
@Timeout(120)
class MassSilenceTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** Longer than it takes to register all servers, which are not heard again. */
  private static final Duration DEAD_AFTER = Duration.ofSeconds(3);

  private static final int SERVERS = 4;
  private static final String JOB = "job_1_1";

  private final List<Closeable> open = new ArrayList<>();
  private final List<ServerSocket> ports = new ArrayList<>();
  private Metaserver metaserver;
  private MetaserverClient client;

  @BeforeEach
  void start() throws IOException {
    String prefix = MetaserverKey.PREFIX;
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    prefix + "host", "127.0.0.1",
                    prefix + "port", "0",
                    prefix + "web.port", "0",
                    prefix + "journal.dir", "none",
                    prefix + "authentication", "none",
                    prefix + "dead.after", DEAD_AFTER.toSeconds() + "s")));
    open.add(metaserver);
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", metaserver.port());
    client = MetaserverClient.connect(address, "test", DEADLINE);
    open.add(client);
    for (int i = 0; i < SERVERS; i++) {
      ServerSocket port = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
      open.add(port);
      ports.add(port);
      Connection server = Connection.open(address, "chunkserver s" + i, DEADLINE);
      open.add(server);
      server.call(
          IfileService.REGISTER_CHUNKSERVER,
          registration(i).build(),
          RegisterChunkserverResponse.parser());
    }
    client.createIfiles(CoreFixture.job(JOB, SERVERS).build());
    for (int map = 0; map < SERVERS; map++) {
      BindRequest.Builder bind = BindRequest.newBuilder().setJob(JOB).setMap(map);
      client.bind(bind.addTargets(CoreFixture.target(map)).build());
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (int i = open.size(); i > 0; i--) {
      open.get(i - 1).close();
    }
  }

  private RegisterChunkserverRequest.Builder registration(int server) {
    return CoreFixture.server("s" + server)
        .setHost("127.0.0.1")
        .setPort(ports.get(server).getLocalPort());
  }

  private long lost() {
    return metaserver.metrics().get(MetaserverMetric.CHUNK_LOSSES.fullName());
  }

  @Test
  void nothingIsGivenUpWhenAllFallSilentAtATime() {
    await().during(DEAD_AFTER.multipliedBy(3)).atMost(DEADLINE).until(() -> lost() == 0);
    assertThat(metaserver.metrics())
        .containsEntry(MetaserverMetric.CHUNKSERVERS_LIVE.fullName(), (long) SERVERS);
  }

  @Test
  void whoComesBackKeepsWhatIsIntact() throws IOException {
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                metaserver.metrics().get(MetaserverMetric.CHUNKSERVERS_SILENT.fullName())
                    == SERVERS);
    assertThat(metaserver.metrics()).containsEntry(MetaserverMetric.BRAKE_ON.fullName(), 1L);
    RegisterChunkserverRequest.Builder again = registration(0);
    for (ChunkDescription chunk : client.describeJob(JOB, -1).getChunksList()) {
      if (chunk.getServerId().equals("s0")) {
        again.addChunks(
            CoreFixture.report(JOB, chunk.getChunk(), chunk.getPartition(), ChunkState.SORTED));
      }
    }
    assertThat(again.getChunksCount()).isPositive();
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", metaserver.port());
    try (Connection server = Connection.open(address, "chunkserver s0", DEADLINE)) {
      RegisterChunkserverResponse response =
          server.call(
              IfileService.REGISTER_CHUNKSERVER,
              again.build(),
              RegisterChunkserverResponse.parser());
      assertThat(response.getUnknownChunksCount()).isZero();
    }
    assertThat(lost()).isZero();
    assertThat(metaserver.metrics()).containsEntry(MetaserverMetric.CHUNKS_SORTED.fullName(), 1L);
  }

  @Test
  void whoRefusesConnectionsIsGivenUpAtOnce() throws IOException {
    ports.get(1).close();
    await().atMost(DEADLINE).until(() -> lost() == 1);
    await().during(DEAD_AFTER).atMost(DEADLINE).until(() -> lost() == 1);
  }
}
