package dev.sailfish.web.source.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AdvicesTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long HOUR_MS = 3_600_000;
  private static final long DAY_MS = 24 * HOUR_MS;

  private static ServerRow server(Long certificateEndMs, StatusPage.Drain drain) {
    return new ServerRow(
        ServerKinds.CHUNKSERVER,
        "chunkserver a",
        "a:1",
        null,
        "/r",
        true,
        true,
        false,
        "1.0",
        certificateEndMs,
        NOW,
        List.of(),
        0L,
        0L,
        drain.draining(),
        drain.left(),
        List.of(),
        List.of());
  }

  private static List<Advice> advice(ServerRow server) {
    return Advices.of(List.of(server), "", NOW);
  }

  private static List<Advice> ofCertificate(Long endMs) {
    return advice(server(endMs, StatusPage.Drain.NONE));
  }

  @Test
  void aCertificateThatEndsSoonIsToBeRenewed() {
    assertThat(ofCertificate(null)).isEmpty();
    assertThat(ofCertificate(NOW + 30 * DAY_MS)).isEmpty();
    assertThat(ofCertificate(NOW + 30 * DAY_MS - 1))
        .containsExactly(
            new Advice(
                Advice.WATCH,
                "chunkserver a",
                "Its certificate ends in 29 days: renew it, and start the server again."));
    assertThat(ofCertificate(NOW + DAY_MS).get(0).text()).contains("ends in 1 day:");
    assertThat(ofCertificate(NOW + HOUR_MS).get(0).text()).contains("ends within a day:");
    assertThat(ofCertificate(NOW))
        .containsExactly(
            new Advice(
                Advice.BAD,
                "chunkserver a",
                "Its certificate has ended: renew it, and start the server again."));
  }

  @Test
  void aServerMayBeStoppedWhenNothingIsLeftOnIt() {
    for (Long left : new Long[] {null, 1L}) {
      assertThat(advice(server(null, new StatusPage.Drain(true, left))).get(0).text())
          .contains("leave it running");
    }
    assertThat(advice(server(null, new StatusPage.Drain(true, 0L))).get(0).text())
        .isEqualTo("It is drained: it may be stopped.");
  }
}
