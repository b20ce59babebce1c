package dev.sailfish.web.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PollTest {
  @Test
  void roundsGoOnWhateverFailsOne() {
    Source source = new Source("master");
    AtomicInteger rounds = new AtomicInteger();
    try (Poll poll =
        new Poll(
            source, Network.SOCKETS, Duration.ofMillis(1), () -> fail(rounds.incrementAndGet()))) {
      await("rounds after those that failed").until(() -> source.view().error() == null);
      assertThat(poll).isNotNull();
      assertThat(rounds.get()).isGreaterThanOrEqualTo(4);
    }
  }

  private static void fail(int round) throws IOException {
    switch (round) {
      case 1 -> throw new IOException("it is silent");
      case 2 -> throw new IllegalStateException("a defect");
      case 3 -> throw new NoClassDefFoundError("a library is missing");
      default -> {}
    }
  }
}
