package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three metaservers of which one is stopped, and comes back. Each test waits for elections most of
 * its time, so they run side by side.
 */
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class FailoverTest {
  static final Duration DEADLINE = Duration.ofSeconds(60);

  /** So long a job is kept, longer than another leader takes to answer. */
  private static final long KEEP_MS = 20_000;

  @TempDir Path directory;

  final List<String> ids = List.of("m1", "m2", "m3");
  private final Map<String, Metaserver> running = new HashMap<>();
  private final Map<String, Integer> ports = new HashMap<>();
  private String peers;

  @BeforeEach
  void start() throws IOException {
    ids.forEach(id -> ports.put(id, FreePort.next()));
    peers =
        ids.stream().map(id -> id + "=127.0.0.1:" + ports.get(id)).collect(Collectors.joining(","));
    for (String id : ids) {
      start(id, directory.resolve(id));
    }
  }

  private void start(String id, Path journal) throws IOException {
    start(id, journal, security());
  }

  /** Starts one of the three. */
  final void start(String id, Path journal, Map<String, String> security) throws IOException {
    Map<String, String> settings = new HashMap<>(security);
    settings.put("host", "127.0.0.1");
    settings.put("port", String.valueOf(ports.get(id)));
    settings.put("web.port", "0");
    settings.put("journal.dir", journal.toString());
    settings.put("journal.snapshot.entries", "20");
    settings.put("peer", id);
    settings.put("peers", peers);
    Map<String, String> properties = new HashMap<>();
    settings.forEach((key, value) -> properties.put(MetaserverKey.PREFIX + key, value));
    running.put(id, Metaserver.start(MetaserverConfig.of(properties)));
  }

  /** What metaservers are told of authentication and TLS. */
  Map<String, String> security() {
    return Map.of("authentication", "none");
  }

  /** Who connects to them. */
  Credentials credentials() {
    return Credentials.none();
  }

  /** What clients connect over. */
  Network network() throws IOException {
    return Network.SOCKETS;
  }

  /** A metaserver that runs. */
  final Metaserver metaserver(String id) {
    return running.get(id);
  }

  /** Stops a metaserver. */
  final void stop(String id) {
    running.remove(id).close();
  }

  /** A client that knows all three. */
  final MetaserverClient client() throws IOException {
    return client(ids);
  }

  /** A client that knows only these. */
  final MetaserverClient client(List<String> known) throws IOException {
    List<InetSocketAddress> addresses =
        known.stream().map(id -> new InetSocketAddress("127.0.0.1", ports.get(id))).toList();
    return MetaserverClient.connect(network(), addresses, "test", credentials(), DEADLINE);
  }

  @AfterEach
  void stop() {
    running.values().forEach(Metaserver::close);
  }

  /** The one that leads, when one does. */
  final String leader() {
    AtomicReference<String> leader = new AtomicReference<>();
    await()
        .atMost(DEADLINE)
        .until(
            () -> {
              running.forEach(
                  (id, metaserver) -> {
                    if (metaserver.leads()) {
                      leader.set(id);
                    }
                  });
              return leader.get() != null;
            });
    return leader.get();
  }

  /** Repeats until it works: there may be no leader for a moment. */
  static <T> T again(Callable<T> call) {
    AtomicReference<T> result = new AtomicReference<>();
    await()
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              result.set(call.call());
              return true;
            });
    return result.get();
  }

  final void register() {
    again(
        () -> {
          InetSocketAddress leading =
              new InetSocketAddress("127.0.0.1", running.get(leader()).port());
          try (Connection connection =
              Connection.open(network(), leading, "chunkserver s1", credentials(), DEADLINE)) {
            return connection.call(
                IfileService.REGISTER_CHUNKSERVER,
                CoreFixture.server("s1").setHost("127.0.0.1").build(),
                RegisterChunkserverResponse.parser());
          }
        });
  }

  final long bind(MetaserverClient client, int map) {
    return again(
            () ->
                client.bind(
                    BindRequest.newBuilder()
                        .setJob("job_1_1")
                        .setMap(map)
                        .setHost("127.0.0.1")
                        .addTargets(CoreFixture.target(0))
                        .build()))
        .getBindings(0)
        .getChunk();
  }

  final void commit(MetaserverClient client, int map, long chunk) {
    again(
        () -> {
          client.commitManifest(
              CommitManifestRequest.newBuilder()
                  .setJob("job_1_1")
                  .setMap(map)
                  .addPartitions(CoreFixture.wrote(0, chunk))
                  .build());
          return true;
        });
  }

  private PlanPartitionResponse plan(MetaserverClient client, int maps) {
    PlanPartitionRequest.Builder request =
        PlanPartitionRequest.newBuilder().setJob("job_1_1").setFinal(true);
    for (int map = 0; map < maps; map++) {
      request.addWinners(map).addWinners(0);
    }
    return again(() -> client.planPartition(request.build()));
  }

  @Test
  void aJobGoesOnWhenTheLeaderStops() throws IOException {
    register();
    try (MetaserverClient client = client()) {
      again(() -> client.createIfiles(CoreFixture.job("job_1_1", 1).build()));
      long chunk = bind(client, 0);
      commit(client, 0, chunk);
      String stopped = leader();
      stop(stopped);
      assertThat(bind(client, 1)).as("another appender goes to the same chunk").isEqualTo(chunk);
      commit(client, 1, chunk);
      for (int map = 2; map < 60; map++) {
        commit(client, map, chunk);
      }
      start(stopped, directory.resolve(stopped));
      for (int map = 60; map < 80; map++) {
        commit(client, map, chunk);
      }
      stop(leader());
      PlanPartitionResponse plan = plan(client, 80);
      assertThat(plan.getWinnersList()).hasSize(80).allMatch(winner -> winner.getKnown());
      assertThat(plan.getChunksList()).hasSize(1);
      assertThat(plan.getChunks(0).getChunk()).isEqualTo(chunk);
    }
  }

  /** What is kept, who won and when it goes are known to all. */
  @Test
  void aKeptJobOutlivesItsLeaderAndGoesInTime() throws IOException {
    register();
    try (MetaserverClient client = client()) {
      again(() -> client.createIfiles(CoreFixture.job("job_1_1", 1).setKeepMs(KEEP_MS).build()));
      commit(client, 0, bind(client, 0));
      plan(client, 1);
      again(
          () -> {
            client.deleteJob("job_1_1");
            return true;
          });
      stop(leader());
      DescribeJobRequest question =
          DescribeJobRequest.newBuilder()
              .setJob("job_1_1")
              .setPartition(-1)
              .setWinners(true)
              .build();
      DescribeJobResponse kept = again(() -> client.describeJob(question));
      assertThat(kept.getSummary().getKept()).isTrue();
      assertThat(kept.getSummary().getKeptLeftMs()).isBetween(1L, KEEP_MS);
      assertThat(kept.getWinnersList()).containsExactly(0, 0);
      await()
          .atMost(DEADLINE)
          .untilAsserted(() -> assertThat(client.listJobs().getJobsList()).isEmpty());
      String leader = leader();
      assertThat(running.get(leader).metrics())
          .containsEntry(MetaserverMetric.KEPT_EXPIRED.fullName(), 1L);
    }
  }

  @Test
  void aPeerThatLostItsDiskGetsASnapshot() throws IOException {
    register();
    try (MetaserverClient client = client()) {
      again(() -> client.createIfiles(CoreFixture.job("job_1_1", 1).build()));
      String leader = leader();
      String lost = ids.stream().filter(id -> !id.equals(leader)).findFirst().orElseThrow();
      stop(lost);
      long chunk = bind(client, 0);
      for (int map = 0; map < 100; map++) {
        commit(client, map, chunk);
      }
      start(lost, directory.resolve("new-disk"));
      Metaserver back = running.get(lost);
      await()
          .atMost(DEADLINE)
          .until(() -> back.metrics().get(MetaserverMetric.MANIFESTS_HELD.fullName()) == 100);
    }
  }

  @Test
  void thoseThatDoNotLeadSayWhoDoes() throws IOException {
    String leader = leader();
    for (String id : ids) {
      if (!id.equals(leader)) {
        InetSocketAddress other = new InetSocketAddress("127.0.0.1", ports.get(id));
        try (MetaserverClient client =
            MetaserverClient.connect(network(), List.of(other), "test", credentials(), DEADLINE)) {
          await()
              .atMost(DEADLINE)
              .untilAsserted(
                  () ->
                      assertThatThrownBy(
                              () -> client.createIfiles(CoreFixture.job("job_1_1", 1).build()))
                          .isInstanceOfSatisfying(
                              RemoteException.class,
                              e -> assertThat(e.status()).isEqualTo(Status.NOT_LEADER))
                          .hasMessageContaining("leader=127.0.0.1:" + ports.get(leader)));
        }
      }
    }
  }

  @Test
  void whoIsLeftAloneIsNotReady() throws IOException {
    assumeTrue(network() == Network.SOCKETS, "pages come over HTTP");
    String last = leader();
    register();
    await().atMost(DEADLINE).until(() -> readyPage(last) == 200);
    ids.stream().filter(id -> !id.equals(last)).forEach(this::stop);
    await().atMost(DEADLINE).until(() -> readyPage(last) == 503);
  }

  private int readyPage(String id) throws IOException {
    URI page = URI.create("http://127.0.0.1:" + running.get(id).webPort() + "/ready");
    return ((HttpURLConnection) page.toURL().openConnection()).getResponseCode();
  }
}
