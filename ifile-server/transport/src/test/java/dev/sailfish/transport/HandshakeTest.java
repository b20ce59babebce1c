package dev.sailfish.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.protocol.Handshake;
import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.client.Connection;
import dev.sailfish.protocol.client.Credentials;
import dev.sailfish.protocol.wire.AuthenticateRequest;
import dev.sailfish.protocol.wire.EmptyResponse;
import dev.sailfish.protocol.wire.HelloResponse;
import dev.sailfish.protocol.wire.ListJobsRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
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
  private static final byte[] JOB_KEY = Handshake.jobKey(TASK_SECRET, "job_1");
  private static final Credentials TASK = Credentials.ofJob("job_1", TASK_SECRET);
  private static final Credentials STRANGER = Credentials.ofJob("job_1", bytes("another secret"));

  private final Keys keys = new Keys();
  private final AtomicInteger handled = new AtomicInteger();
  private final byte[] nonce = Handshake.nonce();
  private FrameServer server;

  /** Keys in a map; answers can be held back. */
  private static final class Keys implements Authenticator {
    private final Map<String, Principal> known = new HashMap<>();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile boolean holding;

    @Override
    public synchronized void find(String name, Answer answer) {
      Principal principal = known.get(name);
      Runnable work =
          () -> {
            if (principal != null) {
              answer.found(principal);
            } else if (name.startsWith(Handshake.JOB_PREFIX)) {
              answer.wanted();
            } else {
              answer.refused(Status.UNAUTHENTICATED, "who is that?");
            }
          };
      if (holding) {
        heldBack.add(work);
      } else {
        work.run();
      }
    }

    @Override
    public synchronized void bind(String name, byte[] key, Answer answer) {
      String job = name.substring(Handshake.JOB_PREFIX.length());
      answer.found(known.computeIfAbsent(name, n -> Principal.ofJob(job, key)));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @BeforeEach
  void start() throws IOException {
    keys.known.put(Handshake.CLUSTER, Principal.ofCluster(CLUSTER_SECRET));
    keys.known.put(JOB, Principal.ofJob("job_1", JOB_KEY));
    start(ServerConfig.Deadlines.DEFAULT);
  }

  private void start(ServerConfig.Deadlines deadlines) throws IOException {
    stop();
    server =
        FrameServer.start(
            ServerConfig.of("echo 1", "127.0.0.1", 0).withDeadlines(deadlines),
            this::tellWhoAsks,
            keys);
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void tellWhoAsks(Request request) {
    handled.incrementAndGet();
    request.reply(HelloResponse.newBuilder().setServer(request.principal().name()).build());
  }

  private Connection open(Credentials credentials) throws IOException {
    return Connection.open(address(), "test", credentials, DEADLINE);
  }

  private InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  private static String ask(Connection connection) throws IOException {
    return connection
        .call(Operation.LIST_JOBS, ListJobsRequest.getDefaultInstance(), HelloResponse.parser())
        .getServer();
  }

  private static byte[] request() {
    return RawPeer.frame(Operation.LIST_JOBS, 3, ListJobsRequest.getDefaultInstance());
  }

  private long count(TransportCounter counter) {
    return server.metrics().get(counter.label());
  }

  private void assertNobodyCameIn() {
    assertThat(handled).hasValue(0);
    assertThat(count(TransportCounter.UNAUTHENTICATED)).isPositive();
  }

  private static void assertUnauthenticated(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHENTICATED))
        .hasMessageContaining(why);
  }

  @Test
  void knowsWhoAsks() throws IOException {
    try (Connection task = open(TASK);
        Connection daemon = open(Credentials.ofCluster(CLUSTER_SECRET))) {
      assertThat(ask(task)).isEqualTo(JOB);
      assertThat(ask(daemon)).isEqualTo(Handshake.CLUSTER);
      assertThat(task.session()).hasSize(32).isNotEqualTo(daemon.session());
    }
    assertThat(count(TransportCounter.UNAUTHENTICATED)).isZero();
  }

  @Test
  void takesARequestTogetherWithTheProof() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      HelloResponse hello = peer.greet(JOB, nonce);
      peer.send(RawPeer.authenticate(JOB_KEY, JOB, nonce, hello), request());
      peer.good(2);
      assertThat(HelloResponse.parser().parseFrom(peer.good(3)).getServer()).isEqualTo(JOB);
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
      byte[] own = Handshake.jobKey(bytes("another secret"), "job_1");
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
          .contains("AUTHENTICATE must come before any request: operation=LIST_JOBS");
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
        () -> open(STRANGER), "did not prove that it knows the key of 'job job_1'");
    assertUnauthenticated(
        () -> open(Credentials.ofCluster(TASK_SECRET)), "is the secret the same on both sides");
    assertThat(handled).hasValue(0);
  }

  @Test
  void clientsRefuseAServerThatAuthenticatesNobody() throws IOException {
    server.close();
    server = FrameServer.start(ServerConfig.of("open", "127.0.0.1", 0), this::tellWhoAsks);
    assertUnauthenticated(() -> open(TASK), "authenticates nobody");
    try (Connection connection = open(Credentials.none())) {
      assertThat(ask(connection)).isEqualTo("everybody");
      assertThat(connection.session()).isEmpty();
    }
  }

  @Test
  void theFirstKeyOfAJobCounts() throws IOException {
    Credentials second = Credentials.ofJob("job_2", bytes("two"));
    assertUnauthenticated(() -> open(second), "asks for it");
    try (Connection first = open(second.introducing());
        Connection again = open(second);
        Connection introducedAgain = open(second.introducing())) {
      assertThat(ask(first)).isEqualTo("job job_2");
      assertThat(ask(again)).isEqualTo("job job_2");
      assertThat(ask(introducedAgain)).isEqualTo("job job_2");
    }
    Credentials late = Credentials.ofJob("job_2", bytes("three"));
    assertUnauthenticated(() -> open(late.introducing()), "did not prove");
  }

  @Test
  void theFasterOfTwoFirstKeysCounts() throws IOException {
    byte[] slowKey = new byte[32];
    try (RawPeer slow = new RawPeer(server.port())) {
      HelloResponse hello = slow.greet("job job_2", nonce);
      assertThat(hello.getKeyWanted()).isTrue();
      open(Credentials.ofJob("job_2", bytes("two")).introducing()).close();
      byte[] proof =
          Handshake.clientProof(slowKey, "job job_2", nonce, hello.getServerNonce().toByteArray());
      slow.send(
          RawPeer.frame(
              Operation.AUTHENTICATE,
              2,
              AuthenticateRequest.newBuilder()
                  .setClientProof(ByteString.copyFrom(proof))
                  .setJobKey(ByteString.copyFrom(slowKey))
                  .build()));
      slow.refused(2, Status.UNAUTHENTICATED);
      slow.ended();
    }
    assertNobodyCameIn();
  }

  @Test
  void refusesAKeyOfAnotherLength() throws IOException {
    try (RawPeer peer = new RawPeer(server.port())) {
      peer.greet("job job_2", nonce);
      peer.send(RawPeer.authenticate(new byte[32]));
      assertThat(peer.refused(2, Status.UNAUTHENTICATED)).contains("length=0 instead of 32");
      peer.ended();
    }
  }

  @Test
  void waitsForAKeyWithoutHoldingUpOthers() throws IOException {
    keys.holding = true;
    try (RawPeer waiting = new RawPeer(server.port())) {
      waiting.send(RawPeer.hello(JOB, nonce));
      await().atMost(DEADLINE).until(() -> !keys.heldBack.isEmpty());
      keys.holding = false;
      try (Connection other = open(TASK)) {
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
    try (Connection next = open(TASK)) {
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
    assertThat(count(TransportCounter.PEER_DEADLINES)).isEqualTo(1);
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
                if (count(TransportCounter.PEER_DEADLINES) == 1) {
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
