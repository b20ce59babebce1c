package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.guard.StandingWarnings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SurroundingsTest {
  /** An address for documentation, which no host has. */
  private static final String ELSEWHERE = "192.0.2.1";

  private final StandingWarnings warnings =
      new StandingWarnings(LoggerFactory.getLogger(SurroundingsTest.class), System::nanoTime);

  private Map<String, String> page(String host, String... metaservers) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String metaserver : metaservers) {
      addresses.add(InetSocketAddress.createUnresolved(metaserver, 19850));
    }
    new Surroundings(host, addresses, warnings).registered();
    return warnings.texts();
  }

  @Test
  void aLoopbackNameIsWrongWhenTheMetaserverIsOnAnotherHost() {
    for (String host : List.of("localhost", "127.0.0.1", "127.0.1.1", "::1", "LocalHost")) {
      assertThat(page(host, "localhost", ELSEWHERE).get("host"))
          .asString()
          .startsWith("sailfish.chunkserver.host=" + host + " leads each host to itself")
          .contains(ELSEWHERE);
    }
    assertThat(warnings.count()).isEqualTo(1);
  }

  @Test
  void itIsRightWhereAllIsOnOneHost() {
    assertThat(page("localhost", ELSEWHERE)).hasSize(1);
    assertThat(page("localhost", "127.0.0.1")).isEmpty();
    assertThat(page("worker7", ELSEWHERE)).isEmpty();
  }

  @Test
  void aMetaserverOutOfReachIsNamedUntilItTakesTheServer() {
    Surroundings surroundings =
        new Surroundings(
            "worker7", List.of(InetSocketAddress.createUnresolved("localhost", 19850)), warnings);
    surroundings.alone(new IOException("refused"));
    surroundings.alone(new IOException("refused again"));
    Map<String, String> page = warnings.texts();
    assertThat(page.get("metaserver"))
        .asString()
        .contains("sailfish.chunkserver.metaserver.address=localhost:19850")
        .endsWith("refused again");
    surroundings.registered();
    assertThat(warnings.count()).isZero();
  }
}
