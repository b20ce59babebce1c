package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockResponse;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.worker.LineageWorker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A writer that has waited for room for too long is gone when room comes. */
@Timeout(120)
class GoneWriterTest {
  private static final int BLOCK = TestStore.BLOCK;
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Duration SOME_ATTEMPTS = Duration.ofMillis(500);

  @TempDir private Path directory;
  private TestStore store;

  @BeforeEach
  void start() throws IOException {
    store = new TestStore(directory);
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private static ConditionFactory within(String what) {
    return await(what).atMost(Duration.ofSeconds(60));
  }

  private static long connections(LineageWorker worker) {
    return worker.metrics().get("sailfish_server_connections");
  }

  private static void beginAndGo(LineageWorker worker, long fid) throws IOException {
    BeginBlockRequest asked =
        BeginBlockRequest.newBuilder()
            .setName(BlockName.newBuilder().setFid(fid))
            .setCapacity(BLOCK)
            .setRoom(BLOCK)
            .build();
    try (Connection writer =
        Connection.open(
            new InetSocketAddress("127.0.0.1", worker.port()),
            "test",
            Credentials.none(),
            PATIENCE)) {
      assertThatThrownBy(() -> writer.call(WorkerService.BEGIN, asked, BeginBlockResponse.parser()))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void nothingIsBegunForIt() throws IOException {
    LineageWorker worker =
        store.startWorker(
            1, "dirs", store.memory(1) + ":disktype=MEM:capacity=4m", "full.deadline", "5min");
    StoreClient client = store.client(Set.of());
    try (FileOutput full = client.create(TestStore.file("/full"))) {
      full.write(new byte[3 * BLOCK]);
    }
    FileOutput out = client.create(TestStore.file("/f"));
    long before = connections(worker);
    beginAndGo(worker, out.fid());
    within("it is gone").until(() -> connections(worker) <= before);
    client.namespace().delete("/full", false);
    within("there is room").until(() -> store.metric(1, "blocks") == 0);
    within("nothing is begun")
        .during(SOME_ATTEMPTS)
        .until(() -> store.metric(1, "blocks_writing") == 0);
    out.write(new byte[BLOCK]);
    out.close();
  }
}
