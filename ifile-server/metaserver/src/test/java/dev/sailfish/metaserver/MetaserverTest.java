package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A metaserver over its sockets. */
class MetaserverTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private Metaserver metaserver;
  private MetaserverClient client;
  private Connection chunkserver;

  @BeforeEach
  void start() throws IOException {
    start(Map.of());
  }

  private void start(Map<String, String> more) throws IOException {
    stop();
    Map<String, String> properties = new HashMap<>(more);
    properties.put("sailfish.metaserver.host", "127.0.0.1");
    properties.putIfAbsent("sailfish.metaserver.journal.dir", "none");
    properties.put("sailfish.metaserver.port", "0");
    properties.put("sailfish.metaserver.web.port", "0");
    properties.put("sailfish.metaserver.authentication", "none");
    metaserver = Metaserver.start(MetaserverConfig.of(properties));
    client = MetaserverClient.connect(address(), "map job_1_1 m_0 a_0", DEADLINE);
    chunkserver = Connection.open(address(), "chunkserver s1", DEADLINE);
  }

  @AfterEach
  void stop() {
    if (metaserver != null) {
      client.close();
      chunkserver.close();
      metaserver.close();
    }
  }

  private InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  private RegisterChunkserverResponse register() throws IOException {
    return chunkserver.call(
        IfileService.REGISTER_CHUNKSERVER,
        CoreFixture.server("s1").setHost("127.0.0.1").build(),
        RegisterChunkserverResponse.parser());
  }

  private HeartbeatResponse heartbeat(int maxWaitMs) throws IOException {
    return chunkserver.call(
        IfileService.HEARTBEAT,
        HeartbeatRequest.newBuilder().setServerId("s1").setMaxWaitMs(maxWaitMs).build(),
        HeartbeatResponse.parser());
  }

  private BindResponse bind(String job, int map, int partition) throws IOException {
    return client.bind(
        BindRequest.newBuilder()
            .setJob(job)
            .setMap(map)
            .setHost("127.0.0.1")
            .addTargets(CoreFixture.target(partition))
            .build());
  }

  private static void assertRefused(Status status, RemoteException e) {
    assertThat(e.status()).isEqualTo(status);
  }

  /** A target takes two bytes in a request, and a hundred times as much in the answer. */
  @Test
  void refusesToBindMoreThanThePartitionsOnce() throws IOException {
    register();
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    for (int targets : new int[] {2, 65_537}) {
      BindRequest.Builder request = BindRequest.newBuilder().setJob("job_1_1").setHost("h");
      for (int i = 0; i < targets; i++) {
        request.addTargets(CoreFixture.target(targets == 2 ? 1 : i));
      }
      assertThatExceptionOfType(RemoteException.class)
          .isThrownBy(() -> client.bind(request.build()))
          .withMessageContaining("targets=" + targets)
          .satisfies(e -> assertRefused(Status.BAD_REQUEST, e));
    }
    long most = Runtime.getRuntime().maxMemory() / 128;
    PlanPartitionRequest.Builder plan = PlanPartitionRequest.newBuilder().setJob("job_1_1");
    for (int map = 1 << 28; plan.getWinnersCount() * 3L < most; map++) {
      plan.addWinners(map).addWinners(1);
    }
    assertThatExceptionOfType(RemoteException.class)
        .isThrownBy(() -> client.planPartition(plan.build()))
        .withMessageContaining("a part of 128 of the heap")
        .satisfies(e -> assertRefused(Status.OVER_LIMIT, e));
    assertThat(bind("job_1_1", 0, 1).getBindingsCount()).isEqualTo(1);
  }

  @Test
  void servesAJobFromBeginningToEnd() throws IOException {
    assertThat(register().getRack()).isEqualTo(RackResolver.DEFAULT_RACK);
    assertThat(client.createIfiles(CoreFixture.job("job_1_1", 3).build()).getChunkBytes())
        .isEqualTo(128 << 20);
    long chunk = bind("job_1_1", 0, 1).getBindings(0).getChunk();
    client.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob("job_1_1")
            .addPartitions(CoreFixture.wrote(1, chunk))
            .build());
    client.abortAttempt(AbortAttemptRequest.newBuilder().setJob("job_1_1").setMap(1).build());
    var plan =
        client.planPartition(
            PlanPartitionRequest.newBuilder()
                .setJob("job_1_1")
                .setPartition(1)
                .setFinal(true)
                .addAllWinners(List.of(0, 0, 1, 0))
                .build());
    assertThat(plan.getChunks(0).getChunk()).isEqualTo(chunk);
    assertThat(plan.getWinnersList())
        .extracting(WinnerManifest::getKnown)
        .containsExactly(true, false);
    client.renewLease("job_1_1");
    assertThat(client.listJobs().getJobsCount()).isEqualTo(1);
    assertThat(client.describeJob("job_1_1", -1).getChunks(0).getState())
        .isEqualTo(ChunkState.OPEN.code());
    client.deleteJob("job_1_1");
    client.deleteJob("job_1_1");
    assertThat(client.listJobs().getJobsCount()).isZero();
    assertThat(heartbeat(5000).getDeleteJobsList()).containsExactly("job_1_1");
    assertThat(client.status().getCountersMap())
        .containsEntry(MetaserverMetric.JOBS_CREATED.fullName(), 1L)
        .containsEntry(MetaserverMetric.JOBS_DELETED.fullName(), 1L)
        .containsKey(ServerMetric.REQUESTS.fullName());
    assertThat(client.status().getWebPort()).isEqualTo(metaserver.webPort());
  }

  /** A task that is killed gives nothing back itself. */
  @Test
  void anAttemptIsBoundUntilAnotherOneOfItsMapCommits() throws IOException {
    register();
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    BindRequest.Builder bind =
        BindRequest.newBuilder()
            .setJob("job_1_1")
            .setHost("127.0.0.1")
            .addTargets(CoreFixture.target(1));
    long chunk = client.bind(bind.setMap(0).setAttempt(0).build()).getBindings(0).getChunk();
    client.bind(bind.setMap(0).setAttempt(1).build());
    client.bind(bind.setMap(1).setAttempt(0).build());
    client.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob("job_1_1")
            .setAttempt(1)
            .addPartitions(CoreFixture.wrote(1, chunk))
            .build());
    await()
        .atMost(DEADLINE)
        .until(() -> client.describeJob("job_1_1", 1).getChunks(0).getAppenders() == 1);
    client.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob("job_1_1")
            .addPartitions(CoreFixture.wrote(1, chunk))
            .build());
    assertThat(client.describeJob("job_1_1", 1).getChunks(0).getAppenders()).isEqualTo(1);
  }

  @Test
  void takesAManifestThatIsLongerThanAHeader() throws IOException {
    register();
    int partitions = 30_000;
    client.createIfiles(CoreFixture.job("job_1_1", partitions).build());
    BindRequest.Builder bind = BindRequest.newBuilder().setJob("job_1_1").setHost("127.0.0.1");
    for (int partition = 0; partition < partitions; partition++) {
      bind.addTargets(CoreFixture.target(partition));
    }
    BindResponse bound = client.bind(bind.build());
    assertThat(bound.getBindingsCount()).isEqualTo(partitions);
    CommitManifestRequest.Builder commit = CommitManifestRequest.newBuilder().setJob("job_1_1");
    bound
        .getBindingsList()
        .forEach(b -> commit.addPartitions(CoreFixture.wrote(b.getPartition(), b.getChunk())));
    client.commitManifest(commit.build());
    assertThat(client.listJobs().getJobs(0).getRawBytes()).isEqualTo(1000L * partitions);
  }

  @Test
  void sumsOverManyPartitionsAreWhole() throws IOException {
    register();
    int partitions = 70_000;
    client.createIfiles(CoreFixture.job("job_1_1", partitions).build());
    long chunk = bind("job_1_1", 0, partitions - 1).getBindings(0).getChunk();
    client.commitManifest(
        CommitManifestRequest.newBuilder()
            .setJob("job_1_1")
            .addPartitions(CoreFixture.wrote(partitions - 1, chunk))
            .build());
    SumWinnersResponse sums =
        client.sumWinners(SumWinnersRequest.newBuilder().setJob("job_1_1").build());
    assertThat(sums.getKnown()).isEqualTo(1);
    assertThat(sums.getMore()).isFalse();
    assertThat(sums.getRawBytesList()).hasSize(partitions);
    assertThat(sums.getRecordBytesList()).hasSize(partitions);
    assertThat(sums.getRecords(partitions - 1)).isEqualTo(10);
    assertThat(sums.getChecksums(partitions - 1)).isEqualTo(CoreFixture.CHECKSUM);
  }

  @Test
  void heartbeatWaitsForItsTime() throws IOException {
    register();
    long start = System.nanoTime();
    assertThat(heartbeat(400)).isEqualTo(HeartbeatResponse.getDefaultInstance());
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(390), Duration.ofSeconds(5));
  }

  @Test
  void heartbeatIsAnsweredWhenThereIsSomethingToTell() throws IOException {
    register();
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    bind("job_1_1", 0, 0);
    PayloadReply reply = new PayloadReply();
    chunkserver.send(
        IfileService.HEARTBEAT,
        HeartbeatRequest.newBuilder().setServerId("s1").setMaxWaitMs(60_000).build(),
        reply);
    chunkserver.pollNow();
    assertThat(reply.ended()).isFalse();
    long start = System.nanoTime();
    client.deleteJob("job_1_1");
    while (!reply.ended()) {
      chunkserver.poll();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(HeartbeatResponse.parser().parseFrom(reply.header()).getDeleteJobsList())
        .containsExactly("job_1_1");
  }

  @Test
  void aNewHeartbeatOfAServerTakesTheOldOnesPlace() throws IOException {
    register();
    PayloadReply old = new PayloadReply();
    HeartbeatRequest request =
        HeartbeatRequest.newBuilder().setServerId("s1").setMaxWaitMs(60_000).build();
    chunkserver.send(IfileService.HEARTBEAT, request, old);
    try (Connection again = Connection.open(address(), "chunkserver s1", DEADLINE)) {
      PayloadReply unread = new PayloadReply();
      again.send(IfileService.HEARTBEAT, request, unread);
      while (!old.ended()) {
        chunkserver.poll();
      }
      assertThat(old.error()).isNull();
    }
  }

  @Test
  void anUnknownServerIsToldToRegister() throws IOException {
    assertThat(heartbeat(60_000).getRegisterAgain()).isTrue();
  }

  @Test
  void aSilentServerIsGivenUp() throws IOException {
    start(Map.of("sailfish.metaserver.dead.after", "3s"));
    register();
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    bind("job_1_1", 0, 0);
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                client.describeJob("job_1_1", 0).getChunks(0).getState() == ChunkState.LOST.code());
    assertThatThrownBy(() -> bind("job_1_1", 1, 0))
        .isInstanceOfSatisfying(RemoteException.class, e -> assertRefused(Status.NO_SPACE, e))
        .hasMessageContaining("no chunkserver is registered and live (1 are dead)");
  }

  @Test
  void aWaitingServerIsNotSilent() throws IOException {
    start(Map.of("sailfish.metaserver.dead.after", "1500ms"));
    register();
    for (int i = 0; i < 6; i++) {
      assertThat(heartbeat(60_000).getRegisterAgain()).isFalse();
    }
  }

  @Test
  void aJobWithoutLeaseEnds() throws IOException {
    start(Map.of("sailfish.metaserver.lease", "300ms"));
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    await().atMost(DEADLINE).until(() -> client.listJobs().getJobsCount() == 0);
    assertThatThrownBy(() -> client.renewLease("job_1_1"))
        .isInstanceOfSatisfying(RemoteException.class, e -> assertRefused(Status.JOB_UNKNOWN, e));
  }

  @Test
  void refusesWhatChunkserversDo() throws IOException {
    assertThatThrownBy(
            () ->
                chunkserver.call(
                    IfileService.READ, ReadRequest.getDefaultInstance(), ReadResponse.parser()))
        .isInstanceOfSatisfying(RemoteException.class, e -> assertRefused(Status.BAD_REQUEST, e))
        .hasMessageContaining("operation=READ");
  }

  @Test
  void clientsReconnectToARestartedMetaserver() throws IOException {
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    int port = metaserver.port();
    metaserver.close();
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    "sailfish.metaserver.host", "127.0.0.1",
                    "sailfish.metaserver.port", String.valueOf(port),
                    "sailfish.metaserver.journal.dir", "none",
                    "sailfish.metaserver.web.port", "0",
                    "sailfish.metaserver.authentication", "none")));
    assertThatThrownBy(() -> client.renewLease("job_1_1"))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("or the metaserver was restarted");
  }

  @Test
  void resolvesRacksByScriptWithoutHoldingUpOthers(@TempDir Path directory) throws IOException {
    Path script =
        Files.writeString(
            directory.resolve("topology.sh"),
            "#!/bin/sh\nif [ $1 = 127.0.0.9 ]; then sleep 1; fi; echo /r$1\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    start(Map.of("sailfish.metaserver.racks.script", script.toString()));
    assertThat(register().getRack()).isEqualTo("/r127.0.0.1");
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
    PayloadReply slow = new PayloadReply();
    chunkserver.send(
        IfileService.BIND,
        BindRequest.newBuilder()
            .setJob("job_1_1")
            .setHost("127.0.0.9")
            .addTargets(CoreFixture.target(0))
            .build(),
        slow);
    bind("job_1_1", 1, 1);
    chunkserver.pollNow();
    assertThat(slow.ended()).isFalse();
    while (!slow.ended()) {
      chunkserver.poll();
    }
    assertThat(slow.error()).isNull();
  }

  /** Begins with a script that does not say where 127.0.0.9 is before there is a file. */
  private void startWithSlowScript(Path directory) throws IOException {
    Path script =
        Files.writeString(
            directory.resolve("topology.sh"),
            ("#!/bin/sh%necho $1 >> %1$s/asked%n"
                    + "while [ $1 = 127.0.0.9 ] && [ ! -e %1$s/go ]; do sleep 0.1; done%n"
                    + "echo /r$1%n")
                .formatted(directory));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    start(
        Map.of(
            "sailfish.metaserver.racks.script", script.toString(),
            "sailfish.metaserver.racks.script.deadline", "60s",
            "sailfish.metaserver.io.threads", "1"));
    client.createIfiles(CoreFixture.job("job_1_1", 3).build());
  }

  private static PayloadReply bindLater(Connection task, String host) throws IOException {
    PayloadReply reply = new PayloadReply();
    task.send(
        IfileService.BIND,
        BindRequest.newBuilder()
            .setJob("job_1_1")
            .setHost(host)
            .addTargets(CoreFixture.target(0))
            .build(),
        reply);
    return reply;
  }

  /** The script runs for 127.0.0.9, and what comes next waits for it. */
  private static PayloadReply bindSlowly(Connection task, Path directory) throws IOException {
    PayloadReply slow = bindLater(task, "127.0.0.9");
    await().atMost(DEADLINE).until(() -> asked(directory).contains("127.0.0.9"));
    return slow;
  }

  private static List<String> asked(Path directory) throws IOException {
    return Files.readAllLines(directory.resolve("asked"));
  }

  @Test
  void hostsThatTasksNameHoldUpNoChunkserver(@TempDir Path directory) throws IOException {
    startWithSlowScript(directory);
    try (Connection task = Connection.open(address(), "map", DEADLINE)) {
      PayloadReply slow = bindSlowly(task, directory);
      assertThat(register().getRack()).isEqualTo("/r127.0.0.1");
      task.pollNow();
      assertThat(slow.ended()).isFalse();
      Files.createFile(directory.resolve("go"));
      while (!slow.ended()) {
        task.poll();
      }
      assertThat(slow.error()).isNull();
    }
  }

  @Test
  void whereTasksAreThatHaveGoneIsNotAsked(@TempDir Path directory) throws IOException {
    startWithSlowScript(directory);
    register();
    try (Connection task = Connection.open(address(), "map", DEADLINE)) {
      bindSlowly(task, directory);
      try (Connection gone = Connection.open(address(), "map", DEADLINE)) {
        bindLater(gone, "127.0.1.1");
        bindLater(gone, "127.0.1.2");
        RenewLeaseRequest next = RenewLeaseRequest.newBuilder().setJob("job_1_1").build();
        gone.call(IfileService.RENEW_LEASE, next, EmptyResponse.parser());
      }
      // The one thread that serves connections looks at each of them in turn.
      client.renewLease("job_1_1");
      client.renewLease("job_1_1");
      PayloadReply last = bindLater(task, "127.0.1.3");
      Files.createFile(directory.resolve("go"));
      while (!last.ended()) {
        task.poll();
      }
      assertThat(last.error()).isNull();
      assertThat(asked(directory)).contains("127.0.1.3").doesNotContain("127.0.1.1", "127.0.1.2");
    }
  }

  @Test
  void someHostsOfAnAddressWaitForTheScriptAndNoMore(@TempDir Path directory) throws IOException {
    startWithSlowScript(directory);
    try (Connection task = Connection.open(address(), "map", DEADLINE)) {
      bindSlowly(task, directory);
      List<PayloadReply> replies = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        replies.add(bindLater(task, "invented" + i));
      }
      await()
          .atMost(DEADLINE)
          .until(
              () -> {
                task.pollNow();
                return replies.stream().filter(PayloadReply::ended).count() == 44;
              });
      replies.subList(256, 300).forEach(reply -> assertRefused(Status.BUSY, reply.error()));
    }
  }

  @Test
  void showsItselfOnTheWeb() throws IOException {
    assertThat(open("/ready").getResponseCode()).isEqualTo(503);
    assertThat(get("/status")).contains("\"failing_checks\":{\"chunkservers\":\"no chunkserver is");
    register();
    assertThat(get("/health")).isEqualTo("ok\n");
    assertThat(get("/ready")).isEqualTo("ready\n");
    assertThat(get("/metrics"))
        .contains("\nsailfish_metaserver_chunkservers_live 1.0\n")
        .contains("\nsailfish_server_request_seconds_count{operation=\"REGISTER_CHUNKSERVER\"} 1\n")
        .contains("\nsailfish_server_connections 2.0\n");
    assertThat(get("/status"))
        .startsWith(
            "{\"server\":\"metaserver\",\"host\":\"127.0.0.1\",\"port\":" + metaserver.port())
        .contains("\"chunkservers\":[{\"id\":\"s1\",\"address\":\"127.0.0.1:")
        .contains("\"rack\":\"/default-rack\",\"draining\":false}]");
  }

  private HttpURLConnection open(String path) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + metaserver.webPort() + path);
    return (HttpURLConnection) uri.toURL().openConnection();
  }

  private String get(String path) throws IOException {
    return new String(open(path).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void saysWhichPortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      String port = String.valueOf(taken.getLocalPort());
      for (String key : new String[] {"port", "web.port"}) {
        String other = key.equals("port") ? "web.port" : "port";
        assertThatThrownBy(
                () ->
                    Metaserver.start(
                        MetaserverConfig.of(
                            Map.of(
                                "sailfish.metaserver.host",
                                "127.0.0.1",
                                "sailfish.metaserver.journal.dir",
                                "none",
                                "sailfish.metaserver." + key,
                                port,
                                "sailfish.metaserver." + other,
                                "0",
                                "sailfish.metaserver.authentication",
                                "none"))))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("metaserver cannot listen on 127.0.0.1:" + port);
      }
    }
  }
}
