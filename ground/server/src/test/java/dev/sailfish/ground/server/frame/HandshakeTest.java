package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.server.message.EchoResponse;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.IntroductionBox;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.secret.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The handshake over sockets: good and bad clients, good and bad servers. */
class HandshakeTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String JOB = "job job_1";
  private static final byte[] CLUSTER_SECRET = bytes("the secret of the cluster");
  private static final byte[] TASK_SECRET = bytes("the secret of the tasks of job_1");
  private static final byte[] JOB_KEY = Handshake.random(32);
  private static final byte[] TASK_KEY = Handshake.taskKey(TASK_SECRET, "job_1");
  private static final ServerKey SERVER_KEY = ServerKey.of(CLUSTER_SECRET);

  private final Keys keys = new Keys();
  private final AtomicInteger handled = new AtomicInteger();
  private final byte[] nonce = Handshake.nonce();
  private FrameServer server;

  /** Keys in a map; answers can be held back. */
  private static final class Keys implements Authenticator {
    private final Map<String, Principal> known = new HashMap<>();
    private final Map<String, byte[]> taskKeys = new HashMap<>();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile boolean holding;

    @Override
    public synchronized void find(String name, byte[] keyId, Answer answer) {
      Runnable work = () -> answer(name, keyId, answer);
      if (holding) {
        heldBack.add(work);
      } else {
        work.run();
      }
    }

    private synchronized void answer(String name, byte[] keyId, Answer answer) {
      byte[] taskKey = taskKeys.get(name);
      if (known.containsKey(name)) {
        answer.found(known.get(name));
      } else if (taskKey != null && Arrays.equals(Handshake.keyId(taskKey), keyId)) {
        answer.found(known.get(job(name)), taskKey);
      } else if (name.startsWith(Handshake.TASK_PREFIX)) {
        answer.introduce();
      } else {
        answer.refused(Status.UNAUTHENTICATED, "who is that?");
      }
    }

    private static String job(String task) {
      return Handshake.JOB_PREFIX + task.substring(Handshake.TASK_PREFIX.length());
    }

    @Override
    public synchronized void introduce(Introduced introduced, Answer answer) {
      try {
        IntroductionBox.Opened opened =
            IntroductionBox.open(
                SERVER_KEY,
                introduced.ephemeralKey(),
                introduced.name(),
                introduced.session(),
                introduced.box());
        String job = introduced.name().substring(Handshake.TASK_PREFIX.length());
        taskKeys.put(introduced.name(), opened.introduction().getTaskKey().toByteArray());
        known.put(job(introduced.name()), Principal.ofJob(job, JOB_KEY));
        answer.found(known.get(job(introduced.name())), opened.key());
      } catch (IOException e) {
        answer.refused(Status.UNAUTHENTICATED, "box cannot be opened: " + e.getMessage());
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @BeforeEach
  void start() throws IOException {
    keys.known.put(Handshake.CLUSTER, Principal.ofCluster(CLUSTER_SECRET));
    keys.known.put(JOB, Principal.ofJob("job_1", JOB_KEY));
    keys.taskKeys.put("task job_1", TASK_KEY);
    start(ServerConfig.Deadlines.DEFAULT);
  }

  private void start(ServerConfig.Deadlines deadlines) throws IOException {
    stop();
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("echo 1", "127.0.0.1", 0).withDeadlines(deadlines),
            this::tellWhoAsks,
            keys,
            new Metrics<>(ServerMetric.class));
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void tellWhoAsks(Request request) {
    handled.incrementAndGet();
    request.reply(EchoResponse.newBuilder().addTexts(request.principal().name()).build());
  }

  private static Credentials task() {
    return Credentials.ofJob("job_1", TASK_SECRET);
  }

  private Connection open(Credentials credentials) throws IOException {
    return Connection.open(address(), "test", credentials, DEADLINE);
  }

  private InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  private static String ask(Connection connection) throws IOException {
    return connection
        .call(EchoService.DESCRIBE, EchoRequest.getDefaultInstance(), EchoResponse.parser())
        .getTexts(0);
  }

  private static byte[] request() {
    return RawPeer.frame(EchoService.DESCRIBE, 3, EchoRequest.getDefaultInstance());
  }

  private long count(ServerMetric counter) {
    return server.metrics().get(counter);
  }

  private void assertNobodyCameIn() {
    assertThat(handled).hasValue(0);
    assertThat(count(ServerMetric.UNAUTHENTICATED)).isPositive();
  }

  private static void assertUnauthenticated(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED))
        .hasMessageContaining(why);
  }

  @Test
  void knowsWhoAsks() throws IOException {
    Credentials credentials = task();
    try (Connection task = open(credentials);
        Connection again = open(credentials);
        Connection daemon = open(Credentials.ofCluster(CLUSTER_SECRET))) {
      assertThat(ask(task)).isEqualTo(JOB);
      assertThat(ask(again)).isEqualTo(JOB);
      assertThat(credentials.jobId("job_1")).isEqualTo("job_1");
      assertThat(credentials.dataKey()).isEqualTo(Handshake.dataKey(JOB_KEY, "job_1"));
      assertThat(ask(daemon)).isEqualTo(Handshake.CLUSTER);
      assertThat(task.session()).hasSize(32).isNotEqualTo(daemon.session());
    }
    assertThat(count(ServerMetric.UNAUTHENTICATED)).isZero();
  }

  @Test
  void takesARequestTogetherWithTheProof() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(JOB, nonce);
      peer.send(RawPeer.authenticate(JOB_KEY, JOB, nonce, hello), request());
      peer.good(2);
      assertThat(EchoResponse.parser().parseFrom(peer.good(3)).getTexts(0)).isEqualTo(JOB);
    }
  }

  @Test
  void refusesAForgedProofAndWhatComesBehindIt() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(JOB, nonce);
      peer.send(RawPeer.authenticate(new byte[32]), request());
      assertThat(peer.refused(2, Status.UNAUTHENTICATED)).contains("proof of 'job job_1'");
      peer.ended();
    }
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(JOB, nonce);
      peer.send(RawPeer.authenticate(new byte[0]));
      peer.refused(2, Status.UNAUTHENTICATED);
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesTheServersOwnProof() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(JOB, nonce);
      peer.send(RawPeer.authenticate(hello.getServerProof().toByteArray()));
      peer.refused(2, Status.UNAUTHENTICATED);
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesWhatWasRecordedOfAGoodConnection() throws IOException {
    byte[] hello = RawPeer.hello(JOB, nonce);
    byte[] authenticate;
    try (RawPeer good = new RawPeer(server.port())) {
      good.send(hello);
      HelloResponse answer = HelloResponse.parser().parseFrom(good.good(1));
      authenticate = RawPeer.authenticate(JOB_KEY, JOB, nonce, answer);
      good.send(authenticate);
      good.good(2);
    }
    try (RawPeer replay = new RawPeer(server.port())) {
      replay.send(hello, authenticate, request());
      replay.good(1);
      replay.refused(2, Status.UNAUTHENTICATED);
      replay.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesTheNameOfAJobWithAnotherKey() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(JOB, nonce);
      byte[] own = bytes("another key");
      peer.send(RawPeer.authenticate(own, JOB, nonce, hello), request());
      peer.refused(2, Status.UNAUTHENTICATED);
      peer.ended();
    }
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(Handshake.CLUSTER, nonce);
      peer.send(RawPeer.authenticate(JOB_KEY, Handshake.CLUSTER, nonce, hello), request());
      peer.refused(2, Status.UNAUTHENTICATED);
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesARequestBeforeTheProof() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(JOB, nonce);
      peer.send(request());
      assertThat(peer.refused(3, Status.UNAUTHENTICATED))
          .contains("AUTHENTICATE must come before any request: operation=DESCRIBE");
      peer.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesAProofThatComesFirstOrTwice() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.send(RawPeer.authenticate(new byte[32]));
      assertThat(peer.refused(2, Status.BAD_REQUEST)).contains("first frame must be HELLO");
    }
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(JOB, nonce);
      byte[] proof = RawPeer.authenticate(JOB_KEY, JOB, nonce, hello);
      peer.send(proof, proof);
      peer.good(2);
      assertThat(peer.refused(2, Status.BAD_REQUEST)).contains("AUTHENTICATE came twice");
      peer.ended();
    }
    assertThat(handled).hasValue(0);
  }

  @Test
  void refusesAClientWithoutAKey() {
    assertUnauthenticated(() -> open(Credentials.none()), "this one has no key");
    assertNobodyCameIn();
  }

  @Test
  void refusesANonceOfAnotherLengthAndUnknownPrincipals() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.send(RawPeer.hello(JOB, new byte[15]));
      assertThat(peer.refused(1, Status.UNAUTHENTICATED)).contains("length=15");
      peer.ended();
    }
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.send(RawPeer.hello("root", nonce));
      assertThat(peer.refused(1, Status.UNAUTHENTICATED)).contains("who is that?");
      peer.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void clientsRefuseAServerWithAnotherKey() {
    assertUnauthenticated(
        () -> open(Credentials.ofJob("job_1", bytes("the secret of another"))),
        "which is done with the server's public key");
    assertUnauthenticated(
        () -> open(Credentials.ofCluster(TASK_SECRET)), "is the secret the same on both sides");
    assertThat(handled).hasValue(0);
  }

  @Test
  void clientsRefuseAServerThatAuthenticatesNobody() throws IOException {
    server.close();
    server =
        FrameServer.start(
            EchoService.SERVICE, ServerConfig.of("open", "127.0.0.1", 0), this::tellWhoAsks);
    assertUnauthenticated(() -> open(task()), "authenticates nobody");
    try (Connection connection = open(Credentials.none())) {
      assertThat(ask(connection)).isEqualTo("everybody");
      assertThat(connection.session()).isEmpty();
    }
  }

  @Test
  void aTaskIntroducesItsJob() throws IOException {
    byte[] secret = bytes("the secret of job_2");
    assertUnauthenticated(
        () -> open(Credentials.ofJob("job_2", secret)),
        "which is done with the server's public key");
    Credentials task =
        Credentials.ofJob("job_2", secret).introducedTo(SERVER_KEY.publicText(), "test.key");
    try (Connection first = open(task);
        Connection again = open(task);
        Connection other = open(Credentials.ofJob("job_2", secret))) {
      assertThat(ask(first)).isEqualTo("job job_2");
      assertThat(ask(again)).isEqualTo("job job_2");
      assertThat(ask(other)).isEqualTo("job job_2");
    }
  }

  @Test
  void aTaskOfAShortSecretAlwaysMakesABox() throws IOException {
    byte[] secret = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < 2; i++) {
      Credentials task =
          Credentials.ofJob("job_2", secret).introducedTo(SERVER_KEY.publicText(), "test.key");
      try (Connection first = open(task)) {
        assertThat(ask(first)).isEqualTo("job job_2");
      }
    }
    assertUnauthenticated(
        () -> open(Credentials.ofJob("job_2", secret)),
        "which is done with the server's public key");
  }

  @Test
  void aTaskRefusesAServerWithoutThePrivateKey() {
    String other = ServerKey.of(bytes("another cluster")).publicText();
    Credentials task =
        Credentials.ofJob("job_2", bytes("the secret of job_2")).introducedTo(other, "test.key");
    assertUnauthenticated(() -> open(task), "box cannot be opened");
    assertNobodyCameIn();
  }

  @Test
  void refusesABoxThatWasRecorded() throws IOException {
    Credentials task =
        Credentials.ofJob("job_2", bytes("the secret of job_2"))
            .introducedTo(SERVER_KEY.publicText(), "test.key");
    open(task).close();
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet("task job_3", nonce);
      assertThat(hello.getIntroduce()).isTrue();
      assertThat(hello.getServerProof()).isEmpty();
      IntroductionBox box =
          IntroductionBox.seal(
              SERVER_KEY.publicText(),
              "task job_3",
              new byte[2 * Handshake.NONCE_LENGTH],
              Introduction.getDefaultInstance());
      AuthenticateRequest request =
          AuthenticateRequest.newBuilder()
              .setEphemeralKey(ByteString.copyFrom(box.ephemeralKey()))
              .setBox(ByteString.copyFrom(box.bytes()))
              .build();
      peer.send(RawPeer.frame(Operation.AUTHENTICATE, 2, request), request());
      peer.refused(2, Status.UNAUTHENTICATED);
      peer.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesAnIntroductionWithoutABox() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet("task job_2", nonce);
      peer.send(RawPeer.authenticate(new byte[32]));
      assertThat(peer.refused(2, Status.UNAUTHENTICATED)).contains("lengths are wrong");
      peer.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void thoseWhoHaveNotProvedAnythingAreFew() throws IOException {
    stop();
    server =
        FrameServer.start(
            EchoService.SERVICE,
            ServerConfig.of("echo 1", "127.0.0.1", 0)
                .withLimits(ServerConfig.Limits.DEFAULT.withUnauthenticated(8)),
            this::tellWhoAsks,
            keys,
            new Metrics<>(ServerMetric.class));
    List<RawPeer> strangers = new ArrayList<>();
    try (Connection before = open(task())) {
      for (int i = 0; i < 20; i++) {
        RawPeer stranger = new RawPeer(server.port());
        strangers.add(stranger);
        stranger.greet(JOB, nonce);
      }
      await().atMost(DEADLINE).until(() -> count(ServerMetric.CROWDED_OUT) == 18);
      strangers.get(0).ended();
      strangers.get(17).ended();
      assertThat(ask(before)).isEqualTo(JOB);
      try (Connection late = open(task())) {
        assertThat(ask(late)).isEqualTo(JOB);
      }
    } finally {
      for (RawPeer stranger : strangers) {
        stranger.close();
      }
    }
  }

  @Test
  void waitsForAKeyWithoutHoldingUpOthers() throws IOException {
    keys.holding = true;
    try (RawPeer waiting = new RawPeer(server.port())) {
      waiting.send(RawPeer.hello(JOB, nonce));
      await().atMost(DEADLINE).until(() -> !keys.heldBack.isEmpty());
      keys.holding = false;
      try (Connection other = open(task())) {
        assertThat(ask(other)).isEqualTo(JOB);
      }
      keys.heldBack.remove().run();
      HelloResponse hello = HelloResponse.parser().parseFrom(waiting.good(1));
      waiting.send(RawPeer.authenticate(JOB_KEY, JOB, nonce, hello), request());
      waiting.good(2);
      waiting.good(3);
    }
  }

  @Test
  void readsNothingWhileItWaitsForAKey() throws IOException {
    keys.holding = true;
    try (RawPeer waiting = new RawPeer(server.port())) {
      waiting.send(RawPeer.hello(JOB, nonce), request());
      await().atMost(DEADLINE).until(() -> !keys.heldBack.isEmpty());
      keys.heldBack.remove().run();
      waiting.good(1);
      waiting.refused(3, Status.UNAUTHENTICATED);
      waiting.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void survivesAPeerThatLeavesWhileItsKeyIsLookedFor() throws IOException {
    keys.holding = true;
    try (RawPeer leaving = new RawPeer(server.port())) {
      leaving.send(RawPeer.hello(JOB, nonce));
      await().atMost(DEADLINE).until(() -> !keys.heldBack.isEmpty());
    }
    keys.holding = false;
    keys.heldBack.remove().run();
    try (Connection next = open(task())) {
      assertThat(ask(next)).isEqualTo(JOB);
    }
  }

  private static ServerConfig.Deadlines frameDeadline(long ms) {
    return new ServerConfig.Deadlines(
        Duration.ofMillis(ms), Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(5));
  }

  @Test
  void dropsAPeerThatDoesNotGoOnAfterHello() throws IOException {
    start(frameDeadline(200));
    try (RawPeer silent = new RawPeer(server.port())) {
      silent.greet(JOB, nonce);
      silent.ended();
    }
    assertThat(count(ServerMetric.PEER_DEADLINES)).isEqualTo(1);
  }

  @Test
  void dropsAPeerThatProvesItselfTooSlowly() throws IOException {
    start(frameDeadline(300));
    try (RawPeer slow = new RawPeer(server.port())) {
      HelloResponse hello = slow.greet(JOB, nonce);
      byte[] proof = RawPeer.authenticate(JOB_KEY, JOB, nonce, hello);
      AtomicInteger sent = new AtomicInteger();
      await()
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptionsMatching(SocketException.class::isInstance)
          .until(
              () -> {
                if (count(ServerMetric.PEER_DEADLINES) == 1) {
                  return true;
                }
                slow.send(new byte[] {proof[sent.getAndIncrement()]});
                return false;
              });
      assertThat(sent).hasValueLessThan(proof.length);
    }
    assertThat(handled).hasValue(0);
  }

  @Test
  void refusesAProofWithAPayload() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet(JOB, nonce);
      byte[] frame = RawPeer.frame(Operation.AUTHENTICATE, 2, EmptyResponse.getDefaultInstance());
      frame[19] = 1;
      peer.send(frame);
      assertThat(peer.refused(2, Status.UNAUTHENTICATED)).contains("AUTHENTICATE has a payload");
      peer.ended();
    }
  }
}
