package dev.sailfish.lineage.qfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.CreateOptions;
import dev.sailfish.lineage.qfs.read.QfsInput;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.write.QfsOutput;
import dev.sailfish.testkit.ManualNanoClock;
import dev.sailfish.testkit.qfs.QfsServerSettings;
import dev.sailfish.testkit.qfs.QfsTestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases while their time passes; the server and the client have the same clock. */
@Timeout(60)
class LeasesOverTimeTest {
  private static final String PATH = "/file";

  private final ManualNanoClock clock = new ManualNanoClock();
  private QfsTestServer qfs;
  private QfsClient client;

  /** Time passes for the one that waits. */
  private record MovedClock(ManualNanoClock clock) implements Clock {
    @Override
    public long nanoTime() {
      return clock.getAsLong();
    }

    @Override
    public void pause(long untilNs, String what) {
      clock.advance(Duration.ofNanos(Math.max(0, untilNs - nanoTime())));
    }
  }

  @BeforeEach
  void start() throws IOException {
    qfs = QfsTestServer.start(QfsServerSettings.DEFAULTS.clock(clock));
    client = QfsClient.connect(Clients.settings(qfs), new MovedClock(clock));
    Clients.write(client, PATH, new byte[1000], 2);
  }

  @AfterEach
  void stop() {
    client.close();
    qfs.close();
  }

  @Test
  void keepsAReadLeaseAsLongAsTheFileIsOpen() throws IOException {
    long chunk = qfs.chunksOf(PATH).get(0);
    try (QfsInput in = client.open(PATH)) {
      in.readFully(0, ByteBuffer.allocate(10));
      assertThat(qfs.readLeases(chunk)).isEqualTo(1);
      for (int renewals = 1; renewals <= 4; renewals++) {
        int wanted = renewals;
        clock.advance(Duration.ofSeconds(120));
        await()
            .atMost(Duration.ofSeconds(10))
            .until(() -> qfs.metaFaults(0).count("LEASE_RENEW") >= wanted);
        assertThat(qfs.readLeases(chunk)).as("after %s renewals", renewals).isEqualTo(1);
      }
    }
    assertThat(qfs.readLeases(chunk)).isZero();
  }

  @Test
  void readsOnWithoutALeaseThatWasLost() throws IOException {
    try (QfsInput in = client.open(PATH)) {
      in.readFully(0, ByteBuffer.allocate(10));
      qfs.metaFaults(0).on("LEASE_RENEW").always().refuse(-1001);
      clock.advance(Duration.ofSeconds(301));
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> qfs.metaFaults(0).count("LEASE_RENEW") >= 1);
      in.readFully(10, ByteBuffer.allocate(990));
    }
  }

  @Test
  void writesOnAfterALongPause() throws IOException {
    String path = "/paused";
    try (QfsOutput out = client.create(path, new CreateOptions(2, 0644, false))) {
      out.write(new byte[100_000], 0, 100_000);
      out.sync();
      clock.advance(Duration.ofSeconds(400));
      out.write(new byte[100_000], 0, 100_000);
    }
    assertThat(client.stat(path).size()).isEqualTo(200_000);
  }

  @Test
  void readsAFileWhoseWriterIsGoneWhenItsLeaseIsOver() throws IOException {
    String path = "/abandoned";
    QfsOutput out = client.create(path, new CreateOptions(2, 0644, false));
    out.write(new byte[100_000], 0, 100_000);
    out.sync();
    out.abort();
    clock.advance(Duration.ofSeconds(301));
    assertThat(Clients.read(client, path)).hasSize(100_000);
  }
}
