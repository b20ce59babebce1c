package dev.sailfish.metaserver.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.state.ServerProbe.Answer;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is given up when, and every arrow of the brake. */
class BrakeTest {
  private static final long DEAD_MS = 30_000;
  private static final long MASS_MS = 300_000;
  private static final long GRACE_MS = 10_000;
  private static final long TICK_MS = 100;
  private static final long HEARTBEAT_MS = 1_000;

  private final Brake brake = new Brake(DEAD_MS, MASS_MS, GRACE_MS);
  private final List<ServerInfo> live = new ArrayList<>();
  private final Set<String> heard = new TreeSet<>();
  private final Set<String> asked = new TreeSet<>();
  private final Set<String> refusing = new TreeSet<>();
  private final Map<String, Long> diedMs = new TreeMap<>();
  private long nowMs;

  private void servers(int count) {
    for (int i = 0; i < count; i++) {
      ServerInfo server = new ServerInfo("s" + i);
      server.registered(CoreFixture.server("s" + i).build(), "/r", true, nowMs);
      live.add(server);
      heard.add("s" + i);
    }
  }

  private void silence(String... ids) {
    heard.removeAll(List.of(ids));
  }

  /** Time passes in ticks; servers are heard once a second, each at its own moment. */
  private void pass(long ms) {
    for (long end = nowMs + ms; nowMs < end; ) {
      nowMs += TICK_MS;
      tick();
    }
  }

  private void tick() {
    for (int i = 0; i < live.size(); i++) {
      ServerInfo server = live.get(i);
      if (heard.contains(server.id()) && nowMs % HEARTBEAT_MS == i * TICK_MS % HEARTBEAT_MS) {
        server.heard(HeartbeatRequest.getDefaultInstance(), "one", nowMs);
      }
    }
    Brake.Verdict verdict = brake.judge(List.copyOf(live), nowMs);
    for (ServerInfo server : verdict.ask()) {
      asked.add(server.id());
      brake.answered(
          server.id(),
          server.lastHeardMs(),
          refusing.contains(server.id()) ? Answer.REFUSED : Answer.NO_ANSWER);
    }
    for (ServerInfo server : verdict.dead()) {
      diedMs.put(server.id(), nowMs - server.lastHeardMs());
      live.remove(server);
    }
  }

  // ---- who is given up
  // ---------------------------------------------------------------------------

  @Test
  void oneOfManyIsGivenUpAtOnce() {
    servers(4);
    silence("s2");
    pass(DEAD_MS + 2 * HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s2");
    assertThat(diedMs.get("s2")).isLessThanOrEqualTo(DEAD_MS + TICK_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.OFF);
  }

  @Test
  void oneOfTwoIsGivenUpAtOnce() {
    servers(2);
    silence("s0");
    pass(DEAD_MS + 2 * HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s0");
  }

  @Test
  void theOnlyOneIsGivenUpWhenItRefuses() {
    servers(1);
    silence("s0");
    pass(2 * DEAD_MS);
    assertThat(diedMs).isEmpty();
    refusing.add("s0");
    pass(DEAD_MS / 10 + 2 * TICK_MS);
    assertThat(diedMs).containsOnlyKeys("s0");
  }

  @Test
  void nobodyIsGivenUpWhenAllFallSilentThoughNotAtTheSameMoment() {
    servers(100);
    silence(heard.toArray(new String[0]));
    pass(MASS_MS - 2 * HEARTBEAT_MS);
    assertThat(diedMs).isEmpty();
    assertThat(brake.silent()).isEqualTo(100);
    assertThat(brake.sentence()).contains("silent=100 of live=100");
  }

  @Test
  void halfOfThemIsMany() {
    servers(4);
    silence("s1", "s2");
    pass(2 * DEAD_MS);
    assertThat(diedMs).isEmpty();
    assertThat(brake.phase()).isEqualTo(Brake.Phase.ON);
  }

  @Test
  void lessThanHalfAreGivenUpAtOnce() {
    servers(5);
    silence("s1", "s2");
    pass(DEAD_MS + 2 * HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s1", "s2");
  }

  @Test
  void whoRefusesIsGivenUpAndTheOthersAreNot() {
    servers(4);
    refusing.add("s1");
    silence("s0", "s1", "s2", "s3");
    pass(DEAD_MS + 3 * HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s1");
    assertThat(asked).containsExactly("s0", "s1", "s2", "s3");
  }

  @Test
  void theLongerDeadlineHoldsInTheEnd() {
    servers(3);
    silence("s0", "s1", "s2");
    pass(MASS_MS + HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s0", "s1", "s2");
    assertThat(diedMs.values()).allSatisfy(ms -> assertThat(ms).isBetween(MASS_MS, MASS_MS + 200));
  }

  @Test
  void aRefusalFromBeforeItWasHeardAgainIsVoid() {
    servers(2);
    silence("s0", "s1");
    pass(DEAD_MS + HEARTBEAT_MS);
    ServerInfo server = live.get(0);
    long before = server.lastHeardMs();
    server.heard(HeartbeatRequest.getDefaultInstance(), "two", nowMs);
    brake.answered("s0", before, Answer.REFUSED);
    pass(DEAD_MS + HEARTBEAT_MS);
    assertThat(diedMs).isEmpty();
  }

  @Test
  void nobodyIsAskedWhileTheBrakeIsOff() {
    servers(4);
    silence("s0");
    pass(3 * DEAD_MS);
    assertThat(asked).isEmpty();
  }

  @Test
  void thePauseOfTheMetaserverItselfCostsNobody() {
    servers(4);
    silence("s0");
    pass(DEAD_MS - 1_000);
    nowMs += 2_000;
    tick();
    assertThat(brake.phase()).isEqualTo(Brake.Phase.GRACE);
    heard.add("s0");
    pass(GRACE_MS + HEARTBEAT_MS);
    assertThat(diedMs).isEmpty();
    assertThat(brake.phase()).isEqualTo(Brake.Phase.OFF);
  }

  @Test
  void thePauseOfTheMetaserverItselfOnlyDelays() {
    servers(4);
    silence("s0");
    pass(DEAD_MS - 1_000);
    nowMs += 2_000;
    tick();
    pass(GRACE_MS + HEARTBEAT_MS);
    assertThat(diedMs).containsOnlyKeys("s0");
  }

  @Test
  void aMetaserverThatPausesAgainAndAgainNoticesASingleLossNonetheless() {
    servers(4);
    silence("s0");
    while (nowMs < 2 * DEAD_MS + 3 * HEARTBEAT_MS) {
      nowMs = (nowMs + DEAD_MS / 10) / TICK_MS * TICK_MS;
      live.stream()
          .filter(server -> !server.id().equals("s0"))
          .forEach(server -> server.heard(HeartbeatRequest.getDefaultInstance(), "one", nowMs));
      tick();
    }
    assertThat(diedMs).containsOnlyKeys("s0");
    assertThat(diedMs.get("s0")).isBetween(2 * DEAD_MS, 2 * DEAD_MS + DEAD_MS / 10);
  }

  // ---- every arrow
  // -------------------------------------------------------------------------------

  private static Set<Brake.Phase> arrows(Brake.Phase from) {
    return switch (from) {
      case OFF -> EnumSet.of(Brake.Phase.ON, Brake.Phase.GRACE);
      case ON -> EnumSet.of(Brake.Phase.OFF, Brake.Phase.GRACE);
      case GRACE -> EnumSet.of(Brake.Phase.OFF, Brake.Phase.ON);
    };
  }

  @ParameterizedTest
  @EnumSource(Brake.Phase.class)
  void theTableHasTheseArrowsAndNoOther(Brake.Phase from) {
    for (Brake.Phase to : Brake.Phase.values()) {
      assertThat(from.mayBecome(to)).as(from + " to " + to).isEqualTo(arrows(from).contains(to));
    }
  }

  @Test
  void offToOnWhenHalfAreSilent() {
    servers(4);
    silence("s0", "s1");
    pass(DEAD_MS - HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.OFF);
    pass(2 * HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.ON);
    assertThat(brake.sentence()).startsWith("the brake is on: silent=");
  }

  @Test
  void offToGraceWhenATickIsLate() {
    servers(2);
    pass(HEARTBEAT_MS);
    nowMs += DEAD_MS / 20 + 1;
    tick();
    assertThat(brake.phase()).isEqualTo(Brake.Phase.GRACE);
    assertThat(brake.sentence()).isEmpty();
  }

  @Test
  void onToOffWhenAllAreHeard() {
    servers(2);
    silence("s0", "s1");
    pass(2 * DEAD_MS);
    heard.addAll(List.of("s0", "s1"));
    nowMs -= nowMs % HEARTBEAT_MS; // both within this second
    live.forEach(server -> server.heard(HeartbeatRequest.getDefaultInstance(), "one", nowMs));
    tick();
    assertThat(brake.phase()).isEqualTo(Brake.Phase.OFF);
    assertThat(diedMs).isEmpty();
  }

  @Test
  void onToGraceWhenFewerAreSilentWhichThenHaveAPeriod() {
    servers(4);
    silence("s0", "s1", "s2", "s3");
    pass(2 * DEAD_MS);
    heard.addAll(List.of("s0", "s1", "s2"));
    pass(2 * HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.GRACE);
    pass(DEAD_MS - 3 * HEARTBEAT_MS);
    assertThat(diedMs).isEmpty();
  }

  @Test
  void graceToOffWhenItIsOver() {
    onToGraceWhenFewerAreSilentWhichThenHaveAPeriod();
    pass(4 * HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.OFF);
    assertThat(diedMs).containsOnlyKeys("s3");
  }

  @Test
  void graceToOnWhenHalfAreSilentAtItsEnd() {
    servers(4);
    silence("s0", "s1", "s2", "s3");
    pass(2 * DEAD_MS);
    heard.addAll(List.of("s0", "s1", "s2"));
    pass(2 * HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.GRACE);
    silence("s0", "s1", "s2");
    pass(DEAD_MS + 2 * HEARTBEAT_MS);
    assertThat(brake.phase()).isEqualTo(Brake.Phase.ON);
    assertThat(diedMs).isEmpty();
  }
}
