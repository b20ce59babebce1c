package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Very many chunks: memory, the time that all others wait, and messages that are not too long. */
@Timeout(240)
class MillionChunksTest {
  private static final int PARTITIONS = 1000;
  private static final int CHUNKS = 1_000_000;
  private static final int SERVERS = 10;
  private static final String JOB = "job_1700000000000_0042";
  private static final long MOST_BYTES_PER_CHUNK = 400;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** A job whose partitions have a thousand chunks each, one appender per chunk. */
  private static CoreFixture millionChunks() throws RequestRefusedException {
    CoreFixture core = new CoreFixture();
    for (int server = 0; server < SERVERS; server++) {
      core.register("s" + server, CoreFixture.RACK);
    }
    core.createSmall(JOB, PARTITIONS, 1);
    BindRequest.Builder all = BindRequest.newBuilder().setJob(JOB);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      all.addTargets(CoreFixture.target(partition));
    }
    for (int map = 0; map < CHUNKS / PARTITIONS; map++) {
      BindResponse bound = core.state.bind(all.setMap(map).build(), CoreFixture.RACK, core.nowMs);
      assertThat(bound.getBindingsCount()).isEqualTo(PARTITIONS);
    }
    return core;
  }

  @Test
  void aMillionChunksTakeLittleMemoryAndGoAway() throws RequestRefusedException {
    long before = usedHeap();
    CoreFixture core = millionChunks();
    long chunks = core.state.jobs().find(JOB).chunks().size();
    assertThat(chunks).isEqualTo(CHUNKS);
    assertThat((usedHeap() - before) / chunks)
        .as("bytes of heap per chunk")
        .isLessThan(MOST_BYTES_PER_CHUNK);
    DescribeJobRequest request =
        DescribeJobRequest.newBuilder().setJob(JOB).setPartition(-1).build();
    DescribeJobResponse page = core.state.describeJob(request, core.nowMs);
    assertThat(page.getChunksCount()).isEqualTo(50_000);
    assertThat(page.getMore()).isTrue();
    assertThat(page.getSerializedSize()).isLessThan(8 << 20);
    core.pass(2 * CoreFixture.DEAD_AFTER_MS);
    assertThat(core.metrics.get(MetaserverMetric.CHUNK_LOSSES)).isEqualTo(chunks);
    core.state.deleteJob(JOB, MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    core.tick();
    assertThat(core.state.registry().all()).isEmpty();
    assertThat(usedHeap() - before).isLessThan(CHUNKS * MOST_BYTES_PER_CHUNK / 10);
  }

  @Test
  void pagesComeToAnEndAndHaveEveryChunkOnce() throws RequestRefusedException {
    CoreFixture core = new CoreFixture();
    core.register("s1", CoreFixture.RACK);
    core.createSmall(JOB, 3, 1);
    Set<Long> opened = new HashSet<>();
    for (int map = 0; map < 50; map++) {
      opened.add(core.bind(JOB, map, map % 3).getChunk());
    }
    DescribeJobRequest.Builder request =
        DescribeJobRequest.newBuilder().setJob(JOB).setPartition(-1).setLimit(7);
    Set<Long> listed = new HashSet<>();
    DescribeJobResponse page;
    do {
      page = core.state.describeJob(request.build(), core.nowMs);
      assertThat(page.getChunksCount()).isBetween(1, 7);
      page.getChunksList().forEach(chunk -> assertThat(listed.add(chunk.getChunk())).isTrue());
      request.setAfterChunk(page.getChunks(page.getChunksCount() - 1).getChunk());
    } while (page.getMore());
    assertThat(listed).isEqualTo(opened);
  }

  /** A real server and its frames, with as many chunks as one chunkserver may hold and more. */
  @Test
  void messagesWithAHundredThousandChunksFit() throws IOException {
    int chunks = 100_000;
    Map<String, String> properties =
        Map.of(
            "sailfish.metaserver.host", "127.0.0.1",
            "sailfish.metaserver.port", "0",
            "sailfish.metaserver.web.port", "0",
            "sailfish.metaserver.journal.dir", "none",
            "sailfish.metaserver.authentication", "none");
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(properties))) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", metaserver.port());
      try (MetaserverClient client = MetaserverClient.connect(address, "test", DEADLINE);
          Connection server = Connection.open(address, "chunkserver s1", DEADLINE)) {
        register(server, CoreFixture.server("s1").build());
        client.createIfiles(CoreFixture.job(JOB, chunks).build());
        BindResponse bound =
            bind(client, 0, chunks / 2).mergeFrom(bind(client, chunks / 2, chunks).build()).build();
        heartbeat(server, bound);
        DescribeJobResponse all = client.describeJob(JOB, -1);
        assertThat(all.getChunksCount()).isEqualTo(chunks);
        assertThat(all.getMore()).isFalse();
        assertThat(all.getChunksList())
            .allSatisfy(chunk -> assertThat(chunk.getState()).isEqualTo(ChunkState.STABLE.code()));
        client.deleteJob(JOB);
        RegisterChunkserverResponse again = register(server, holding(bound));
        assertThat(again.getUnknownChunksCount()).isEqualTo(chunks);
      }
    }
  }

  private static BindResponse.Builder bind(MetaserverClient client, int from, int to)
      throws IOException {
    BindRequest.Builder request = BindRequest.newBuilder().setJob(JOB);
    for (int partition = from; partition < to; partition++) {
      request.addTargets(CoreFixture.target(partition));
    }
    return client.bind(request.build()).toBuilder();
  }

  private static RegisterChunkserverRequest holding(BindResponse bound) {
    RegisterChunkserverRequest.Builder request = CoreFixture.server("s1");
    for (Binding binding : bound.getBindingsList()) {
      request.addChunks(
          CoreFixture.report(JOB, binding.getChunk(), binding.getPartition(), ChunkState.SORTED));
    }
    return request.build();
  }

  private static RegisterChunkserverResponse register(
      Connection server, RegisterChunkserverRequest request) throws IOException {
    return server.call(
        IfileService.REGISTER_CHUNKSERVER, request, RegisterChunkserverResponse.parser());
  }

  private static void heartbeat(Connection server, BindResponse bound) throws IOException {
    HeartbeatRequest.Builder request = HeartbeatRequest.newBuilder().setServerId("s1");
    for (Binding binding : bound.getBindingsList()) {
      request.addChanged(
          CoreFixture.report(JOB, binding.getChunk(), binding.getPartition(), ChunkState.STABLE));
    }
    server.call(IfileService.HEARTBEAT, request.build(), HeartbeatResponse.parser());
  }
}
