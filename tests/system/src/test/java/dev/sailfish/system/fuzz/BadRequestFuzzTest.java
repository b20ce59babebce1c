package dev.sailfish.system.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every operation of both servers with random and damaged requests, over sockets: each gets an
 * answer and none of them is a defect, a map and a reduce go well before, during and after, and
 * nothing stays behind. {@code -Dsailfish.rounds=N} sets how long the long test is.
 */
@Seeded
@Timeout(600)
class BadRequestFuzzTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int ROUNDS = 4000;
  private static final int ROUNDS_BETWEEN_JOBS = 1000;
  private static final long MOST_HEAP_BYTES = 600L << 20;

  @TempDir private Path temporary;
  private SailfishDaemons daemons;
  private int jobs;

  @BeforeEach
  void start() throws IOException {
    daemons =
        SailfishDaemons.startOpen(temporary, 2, Map.of("sailfish.metaserver.dead.after", "3s"));
  }

  @AfterEach
  void stop() throws IOException {
    daemons.close();
  }

  @Test
  void bothServersAnswerAndServeOthers(SplittableRandom random) throws IOException {
    fuzz(random, ROUNDS);
  }

  @Test
  @Tag("long")
  void bothServersAnswerAndServeOthersForLong(SplittableRandom random) throws IOException {
    fuzz(random, Integer.getInteger("sailfish.rounds", 300_000));
  }

  private void fuzz(SplittableRandom random, int rounds) throws IOException {
    RandomRequests requests = new RandomRequests(random);
    // A second handshake ends a connection, as it should.
    List<Operation<?, ?>> operations = IfileService.SERVICE.operations();
    List<RawPeer> peers = new ArrayList<>();
    try {
      peers.add(new RawPeer(daemons.address(), "fuzz", DEADLINE));
      for (Chunkserver server : daemons.chunkservers()) {
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
        peers.add(new RawPeer(address, "fuzz", DEADLINE));
      }
      for (int round = 0; round < rounds; round++) {
        if (round % ROUNDS_BETWEEN_JOBS == 0) {
          runJob(random);
        }
        Operation<?, ?> operation = operations.get(random.nextInt(operations.size()));
        RawPeer peer = peers.get(random.nextInt(peers.size()));
        peer.send(operation, requests.header(operation), requests.payload(operation));
        assertThat(peer.readReply() & FrameDescriptor.FLAG_RESPONSE).isNotZero();
      }
      runJob(random);
    } finally {
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
    checkNothingIsLeft();
  }

  /** One map and one reduce. */
  private void runJob(SplittableRandom random) throws IOException {
    IfileSpec spec =
        new IfileSpec("job_1_" + ++jobs, 2, KeyOrder.normalized(KeyEncoding.BYTES), CodecId.LZ4);
    IappenderConfig config =
        new IappenderConfig(
            daemons.address(), "127.0.0.1", "good", 4 << 20, 0, 0, DEADLINE, 1 << 20);
    byte[] value = TestBytes.text(random, 1000);
    int records = 200;
    try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
      for (int i = 0; i < records; i++) {
        byte[] key = {0, 0, 0, 1, (byte) i};
        appender.append(1, key, 0, key.length, value, 0, value.length);
      }
      appender.commit();
    }
    ImergerConfig merge = new ImergerConfig(daemons.address(), 4 << 20, temporary, DEADLINE);
    try (Imerger imerger = Imerger.open(merge, spec.job(), 1, spec.order(), "good reduce")) {
      imerger.start(new int[] {0, 0});
      for (int i = 0; i < records; i++) {
        assertThat(imerger.next()).isTrue();
        int end = imerger.valueOffset() + imerger.valueLength();
        assertThat(Arrays.copyOfRange(imerger.valueBuffer(), imerger.valueOffset(), end))
            .isEqualTo(value);
      }
      assertThat(imerger.next()).isFalse();
    }
    try (MetaserverClient client = daemons.client()) {
      client.deleteJob(spec.job());
    }
  }

  private void checkNothingIsLeft() throws IOException {
    try (MetaserverClient client = daemons.client()) {
      assertThat(client.status().getCountersMap())
          .as("requests that met a defect; see the log")
          .containsEntry(ServerMetric.HANDLER_ERRORS.fullName(), 0L);
      for (var job : client.listJobs().getJobsList()) {
        client.deleteJob(job.getJob());
      }
    }
    for (Chunkserver server : daemons.chunkservers()) {
      assertThat(server.metrics())
          .as("requests that met a defect; see the log")
          .containsEntry(ServerMetric.HANDLER_ERRORS.fullName(), 0L);
      await()
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(100))
          .untilAsserted(
              () ->
                  assertThat(server.metrics())
                      .containsEntry(ChunkserverMetric.MEMORY_USED_BYTES.fullName(), 0L)
                      .containsEntry(ChunkserverMetric.ARRIVING_BYTES.fullName(), 0L)
                      .containsEntry(ServerMetric.CONNECTIONS.fullName(), 0L));
    }
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    assertThat(runtime.totalMemory() - runtime.freeMemory()).isLessThan(MOST_HEAP_BYTES);
  }
}
