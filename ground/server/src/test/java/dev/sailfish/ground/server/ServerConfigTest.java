package dev.sailfish.ground.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerConfigTest {
  private static final ServerConfig CONFIG = ServerConfig.of("x", "127.0.0.1", 0);

  @Test
  void hasDefaults() {
    assertThat(CONFIG.threads()).isEqualTo(2);
    assertThat(CONFIG.limits()).isEqualTo(ServerConfig.Limits.DEFAULT);
    assertThat(CONFIG.deadlines()).isEqualTo(ServerConfig.Deadlines.DEFAULT);
  }

  @Test
  void refusesWhatIsOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.withThreads(0))
        .withMessageContaining("threads=0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ServerConfig.of("x", "127.0.0.1", 70_000))
        .withMessageContaining("port=70000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServerConfig.Limits(1 << 20, 1 << 10, 1 << 16, 1 << 16, 1, 1, 1))
        .withMessageContaining("collectedTotalBytes=1024");
    Duration second = Duration.ofSeconds(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServerConfig.Deadlines(second, Duration.ZERO, second, second))
        .withMessageContaining("write deadline in ms=0");
  }
}
