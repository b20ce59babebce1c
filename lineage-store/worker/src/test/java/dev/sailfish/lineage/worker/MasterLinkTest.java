package dev.sailfish.lineage.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the link to the master when something here fails as nobody has expected. */
@Timeout(60)
class MasterLinkTest {
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private final BlockingQueue<Exception> heard = new LinkedBlockingQueue<>();
  private final Metrics<LineageWorkerMetric> metrics = new Metrics<>(LineageWorkerMetric.class);

  private final MasterLink.Notices notices =
      new MasterLink.Notices() {
        @Override
        public void registered() {
          throw new AssertionError("there is no master");
        }

        @Override
        public void alone(Exception cause) {
          heard.add(cause);
        }
      };

  @Test
  void itIsToldAndTriedAgain() throws Exception {
    LeaderClient nobody =
        new LeaderClient(
            Network.SOCKETS,
            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)),
            "test",
            Credentials.none(),
            DEADLINE);
    MasterLink link =
        new MasterLink(
            nobody,
            () -> {
              throw new IllegalStateException("unexpected");
            },
            new MasterLink.Known(null, null, null, null),
            DEADLINE.toNanos(),
            metrics,
            notices);
    link.start();
    try (link) {
      for (int i = 0; i < 2; i++) {
        assertThat(heard.poll(DEADLINE.toSeconds() * 2, TimeUnit.SECONDS))
            .isInstanceOf(IllegalStateException.class);
      }
      assertThat(metrics.get(LineageWorkerMetric.HEARTBEAT_FAILURES)).isGreaterThanOrEqualTo(2);
    }
  }
}
