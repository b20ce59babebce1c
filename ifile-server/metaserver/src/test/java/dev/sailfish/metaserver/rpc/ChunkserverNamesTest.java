package dev.sailfish.metaserver.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.testkit.ManualNanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ChunkserverNamesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String LOOPBACK = "127.0.0.1";

  // Addresses for documentation, which no host has.
  private static final String HOST_A = "192.0.2.1";
  private static final String HOST_B = "192.0.2.2";

  private final ManualNanoClock clock = new ManualNanoClock();
  private final StandingWarnings warnings =
      new StandingWarnings(LoggerFactory.getLogger(ChunkserverNamesTest.class), clock::getAsLong);
  private final List<ChunkserverNames.Registered> live = new ArrayList<>();
  private final Map<String, String> addresses = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final ChunkserverNames names =
      new ChunkserverNames(() -> List.copyOf(live), this::resolve, warnings, clock::getAsLong);

  @AfterEach
  void close() {
    names.close();
  }

  private InetAddress[] resolve(String host) throws UnknownHostException {
    asked.add(host);
    if (!addresses.containsKey(host)) {
      throw new UnknownHostException(host);
    }
    return new InetAddress[] {InetAddress.getByName(addresses.get(host))};
  }

  private void register(String id, String host, String leadsTo, String peer)
      throws UnknownHostException {
    addresses.put(host, leadsTo);
    live.add(
        new ChunkserverNames.Registered(id, host, 19852, Optional.of(InetAddress.getByName(peer))));
  }

  /** What is said after a look; empty when nothing is wrong. */
  private String said() {
    names.look();
    return warnings.texts().getOrDefault(ChunkserverNames.TOPIC, "");
  }

  @Test
  void aNameThatCannotBeResolvedIsToldUntilItCan() throws UnknownHostException {
    register("s1", "good", HOST_A, HOST_A);
    assertThat(said()).isEmpty();
    register("s2", "typo", HOST_B, HOST_B);
    addresses.remove("typo");
    assertThat(said())
        .contains("chunkservers=1")
        .contains("sailfish.chunkserver.host")
        .contains("'typo:19852' (id=s2 from 192.0.2.2) cannot be resolved here")
        .doesNotContain("good");
    assertThat(names.misnamed()).isEqualTo(1);
    addresses.put("typo", HOST_B);
    assertThat(said()).as("within the same minute").isNotEmpty();
    clock.advanceMs(60_000);
    assertThat(said()).isEmpty();
    assertThat(names.misnamed()).isZero();
    assertThat(asked).containsExactly("good", "typo", "good", "typo");
  }

  @Test
  void localhostIsWrongAsSoonAsAServerIsOnAnotherHost() throws UnknownHostException {
    register("s1", "localhost", LOOPBACK, LOOPBACK);
    register("s2", LOOPBACK, LOOPBACK, LOOPBACK);
    assertThat(said()).as("all on one host").isEmpty();
    register("s3", "worker3", HOST_A, HOST_A);
    assertThat(said()).contains("chunkservers=2").contains("leads each host to itself");
  }

  @Test
  void localhostOfAnotherHostIsWrong() throws UnknownHostException {
    register("s1", "localhost", LOOPBACK, HOST_A);
    assertThat(said()).contains("'localhost:19852' (id=s1 from 192.0.2.1)");
  }

  @Test
  void whatAHostFileMakesOfThisHostsOwnNameIsNotWrong() throws UnknownHostException {
    register("s1", "here", "127.0.1.1", LOOPBACK);
    register("s2", "worker2", HOST_B, HOST_B);
    assertThat(said()).isEmpty();
    register("s3", "there", "127.0.1.1", HOST_A);
    assertThat(said()).contains("'there:19852'").contains("it is on another");
  }

  @Test
  void onlyAFewAreNamed() throws UnknownHostException {
    for (int i = 0; i < 25; i++) {
      register("s" + i, "typo" + i, HOST_A, HOST_A);
    }
    addresses.clear();
    assertThat(said()).contains("chunkservers=25").contains("typo9").endsWith("; and 15 more");
    live.clear();
    assertThat(said()).isEmpty();
  }

  @Test
  void aMetaserverTellsOfAServerThatRegistersUnderANameThatNobodyKnows() throws IOException {
    Map<String, String> properties =
        Map.of(
            "sailfish.metaserver.host", LOOPBACK,
            "sailfish.metaserver.port", "0",
            "sailfish.metaserver.journal.dir", "none",
            "sailfish.metaserver.web.port", "0",
            "sailfish.metaserver.authentication", "none");
    try (Metaserver metaserver = Metaserver.start(MetaserverConfig.of(properties));
        Connection chunkserver =
            Connection.open(
                new InetSocketAddress(LOOPBACK, metaserver.port()), "chunkserver s1", DEADLINE)) {
      register(chunkserver, "no-such-chunkserver.invalid");
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  metaserver.metrics().get(MetaserverMetric.CHUNKSERVERS_MISNAMED.fullName()) == 1);
      assertThat(metaserver.metrics()).containsEntry(MetaserverMetric.WARNINGS.fullName(), 1L);
      URI page = URI.create("http://127.0.0.1:" + metaserver.webPort() + "/status");
      assertThat(page.toURL().openStream())
          .asString(StandardCharsets.UTF_8)
          .contains("\"warnings\":{\"chunkserver names\":")
          .contains("'no-such-chunkserver.invalid:19852' (id=s1 from 127.0.0.1)");
      register(chunkserver, LOOPBACK);
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  metaserver.metrics().get(MetaserverMetric.CHUNKSERVERS_MISNAMED.fullName()) == 0);
    }
  }

  private static void register(Connection chunkserver, String host) throws IOException {
    chunkserver.call(
        IfileService.REGISTER_CHUNKSERVER,
        CoreFixture.server("s1").setHost(host).setPort(19852).build(),
        RegisterChunkserverResponse.parser());
    chunkserver.call(
        IfileService.HEARTBEAT,
        HeartbeatRequest.newBuilder().setServerId("s1").setMaxWaitMs(1).build(),
        HeartbeatResponse.parser());
  }
}
