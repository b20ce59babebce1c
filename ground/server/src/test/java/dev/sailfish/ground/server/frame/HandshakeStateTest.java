package dev.sailfish.ground.server.frame;

import static dev.sailfish.ground.server.frame.HandshakeState.ADMITTING;
import static dev.sailfish.ground.server.frame.HandshakeState.DONE;
import static dev.sailfish.ground.server.frame.HandshakeState.FINDING_KEY;
import static dev.sailfish.ground.server.frame.HandshakeState.GREETING;
import static dev.sailfish.ground.server.frame.HandshakeState.NEGOTIATING;
import static dev.sailfish.ground.server.frame.HandshakeState.PROVING;
import static dev.sailfish.ground.server.frame.HandshakeState.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HandshakeStateTest {
  private static final Map<HandshakeState, Set<HandshakeState>> ARROWS =
      Map.of(
          GREETING, Set.of(FINDING_KEY, DONE, REFUSED),
          FINDING_KEY, Set.of(PROVING, REFUSED),
          PROVING, Set.of(ADMITTING, NEGOTIATING, DONE, REFUSED),
          ADMITTING, Set.of(DONE, REFUSED),
          NEGOTIATING, Set.of(PROVING, DONE, REFUSED),
          DONE, Set.of(),
          REFUSED, Set.of());

  @ParameterizedTest
  @EnumSource(HandshakeState.class)
  void hasTheseArrowsAndNoOthers(HandshakeState from) {
    for (HandshakeState to : HandshakeState.values()) {
      assertThat(from.mayBecome(to))
          .as("%s to %s", from, to)
          .isEqualTo(ARROWS.get(from).contains(to));
    }
  }
}
