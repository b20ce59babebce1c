package dev.sailfish.ground.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestAuthority;
import dev.sailfish.testkit.TestBytes;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The frame server and its client over TLS: what goes well, and how either side says what not. */
@Seeded
@Timeout(240)
class TlsServerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final EmptyResponse EMPTY = EmptyResponse.getDefaultInstance();
  private static final int ROUNDS = Integer.getInteger("sailfish.rounds", 150);
  private static final long MOST_GARBAGE_BYTES = 64L << 20;

  @TempDir static Path directory;
  private static TestAuthority authority;
  private static TestAuthority stranger;
  private static Path serverKeys;

  private final EchoHandler handler = new EchoHandler();
  private FrameServer server;

  @BeforeAll
  static void makeKeys() throws IOException {
    authority = TestAuthority.create(Files.createDirectory(directory.resolve("ours")));
    stranger = TestAuthority.create(Files.createDirectory(directory.resolve("theirs")));
    serverKeys = authority.issue("server");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static TlsContext context(Path serverFile) throws IOException {
    return TlsContext.ofServer("server file", SslFile.read("test", serverFile));
  }

  private static Network network(Path clientFile) throws IOException {
    return TlsNetwork.open("client file", SslFile.read("test", clientFile));
  }

  private void start(Path keys, boolean mutual) throws IOException {
    start(ServerConfig.of("echo 1", "127.0.0.1", 0), keys, mutual);
  }

  private void start(ServerConfig config, Path keys, boolean mutual) throws IOException {
    Path file = authority.serverFile(keys, mutual);
    server =
        FrameServer.start(EchoService.SERVICE, config.withTls(Optional.of(context(file))), handler);
  }

  /** A frame has more time than a handshake takes. */
  private static ServerConfig impatient() {
    return ServerConfig.of("echo 1", "127.0.0.1", 0)
        .withDeadlines(
            new ServerConfig.Deadlines(
                Duration.ofSeconds(3),
                Duration.ofSeconds(1),
                Duration.ofMinutes(1),
                Duration.ofSeconds(5)));
  }

  private Connection connect(Network network) throws IOException {
    return connect(network, server.port());
  }

  private static Connection connect(Network network, int port) throws IOException {
    return Connection.open(
        network, new InetSocketAddress("127.0.0.1", port), "test", Credentials.none(), DEADLINE);
  }

  private long count(ServerMetric counter) {
    return server.metrics().get(counter);
  }

  private static PayloadReply call(
      Connection connection, Operation<?, ?> operation, ByteBuffer... payload) throws IOException {
    PayloadReply reply = new PayloadReply();
    connection.send(operation, EMPTY, reply, payload);
    finish(connection, reply);
    return reply;
  }

  private static void finish(Connection connection, PayloadReply reply) throws IOException {
    while (!reply.ended()) {
      connection.poll();
    }
  }

  // ---- what goes well

  @Test
  void largePayloadsShouldGoBothWays(SplittableRandom random) throws IOException {
    start(serverKeys, false);
    byte[] bytes = TestBytes.random(random, 20 << 20);
    try (Connection connection = connect(network(authority.clientFile()))) {
      assertThat(connection.server()).isEqualTo("echo 1");
      PayloadReply reply = call(connection, EchoService.STREAM, ByteBuffer.wrap(bytes));
      assertThat(reply.error()).isNull();
      assertThat(Arrays.equals(reply.bytes(), bytes)).isTrue();
      for (int length : new int[] {0, 1, 65_535, 65_537, 3 << 20}) {
        byte[] some = Arrays.copyOf(bytes, length);
        ByteBuffer[] payload =
            length == 0 ? new ByteBuffer[0] : new ByteBuffer[] {ByteBuffer.wrap(some)};
        assertThat(call(connection, EchoService.COLLECT, payload).bytes()).isEqualTo(some);
      }
    }
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS) == 0);
    assertThat(count(ServerMetric.TLS_FAILURES)).isZero();
  }

  /** Without TLS the kernel copies files to the socket; TLS must have the bytes. */
  @Test
  void filesShouldBeServedAmongOtherAnswers(SplittableRandom random) throws IOException {
    start(serverKeys, false);
    byte[] bytes = TestBytes.random(random, (3 << 20) + 17);
    Path file = Files.write(directory.resolve("served"), bytes);
    try (FileChannel channel = FileChannel.open(file);
        Connection connection = connect(network(authority.clientFile()))) {
      handler.file = channel;
      handler.fileLength = bytes.length;
      List<PayloadReply> files = new ArrayList<>();
      List<PayloadReply> echoes = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        files.add(new PayloadReply());
        echoes.add(new PayloadReply());
        connection.send(EchoService.FILE, EMPTY, files.get(i));
        connection.send(
            EchoService.COLLECT, EMPTY, echoes.get(i), ByteBuffer.wrap(new byte[] {(byte) i}));
      }
      for (int i = 0; i < 12; i++) {
        finish(connection, files.get(i));
        finish(connection, echoes.get(i));
        assertThat(Arrays.equals(files.get(i).bytes(), bytes)).as("file %d", i).isTrue();
        assertThat(echoes.get(i).bytes()).containsExactly(i);
      }
      handler.fileLength = 0;
      assertThat(call(connection, EchoService.FILE).bytes()).isEmpty();
    }
    await().atMost(DEADLINE).until(() -> handler.released.get() == 13);
  }

  @Test
  void aFileThatIsTooShortShouldEndTheConnectionAndNothingElse() throws IOException {
    start(serverKeys, false);
    Path file = Files.write(directory.resolve("short"), new byte[100_000]);
    Network network = network(authority.clientFile());
    try (FileChannel channel = FileChannel.open(file);
        Connection connection = connect(network)) {
      handler.file = channel;
      handler.fileLength = 200_000;
      assertThat(catchThrowableOfType(IOException.class, () -> call(connection, EchoService.FILE)))
          .hasMessageContaining("closed by");
      await().atMost(DEADLINE).until(() -> handler.released.get() == 1);
    }
    try (Connection connection = connect(network)) {
      assertThat(call(connection, EchoService.COLLECT, ByteBuffer.wrap(new byte[] {7})).bytes())
          .containsExactly(7);
    }
  }

  /** What waits for a peer counts, encrypted or not: the server stops to read from it. */
  @Test
  void aPeerThatDoesNotReadShouldBeBoundedAndDropped(SplittableRandom random) throws IOException {
    start(impatient(), serverKeys, false);
    byte[] bytes = TestBytes.random(random, 6 << 20);
    Path file = Files.write(directory.resolve("unread"), bytes);
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    try (FileChannel channel = FileChannel.open(file);
        Connection connection = connect(network(authority.clientFile()))) {
      handler.file = channel;
      handler.fileLength = bytes.length;
      for (int i = 0; i < 40; i++) {
        connection.send(EchoService.FILE, EMPTY, new PayloadReply());
      }
      await().atMost(DEADLINE).until(() -> count(ServerMetric.PEER_DEADLINES) == 1);
      assertThat(count(ServerMetric.READ_PAUSES)).isPositive();
      assertThat(handler.handled.get()).as("requests that were begun").isLessThan(40);
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
          .isLessThan(MOST_GARBAGE_BYTES);
    }
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS) == 0);
    await().atMost(DEADLINE).until(() -> handler.released.get() == handler.handled.get());
  }

  @Test
  void clientsWithCertificatesShouldBeAskedForThem() throws IOException {
    start(serverKeys, true);
    try (Connection connection = connect(network(authority.clientFile(authority.issue("task"))))) {
      assertThat(call(connection, EchoService.COLLECT).error()).isNull();
    }
    refused(
        network(authority.clientFile()),
        "demands one and got none",
        "hadoop.ssl.require.client.cert");
    Path strange = stranger.issue("task");
    refused(network(withTrust(stranger.clientFile(strange))), "does not trust this side");
  }

  /** A client file of the stranger's that trusts our authority. */
  private static Path withTrust(Path clientFile) throws IOException {
    String text = Files.readString(clientFile);
    return Files.writeString(
        clientFile,
        text.replace(stranger.trustStore().toString(), authority.trustStore().toString()));
  }

  // ---- what does not

  private void refused(Network network, String... words) {
    long before = count(ServerMetric.TLS_FAILURES);
    long start = System.nanoTime();
    RemoteException refusal =
        catchThrowableOfType(RemoteException.class, () -> connect(network).close());
    assertThat(refusal).as("refusal with %s", List.of(words)).isNotNull();
    assertThat(refusal.status()).isEqualTo(Status.UNAUTHENTICATED);
    assertThat(refusal).hasMessageContainingAll(words);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(DEADLINE);
    await().atMost(DEADLINE).until(() -> count(ServerMetric.TLS_FAILURES) == before + 1);
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS) == 0);
    assertThat(handler.handled).as("requests that got through").hasValueLessThan(2);
  }

  @Test
  void aCertificateThatHasExpiredShouldBeRefused() throws IOException {
    start(authority.issueExpired("old"), false);
    refused(network(authority.clientFile()), "NotAfter", "renew it");
  }

  @Test
  void aCertificateOfAnotherHostShouldBeRefused() throws IOException {
    start(authority.issueForOtherHost("other"), false);
    refused(network(authority.clientFile()), "subject alternative names");
    Path careless = authority.clientFile();
    String text = Files.readString(careless);
    Files.writeString(
        careless,
        text.replace(
            "</configuration>",
            "<property><name>hadoop.ssl.hostname.verifier</name><value>ALLOW_ALL</value>"
                + "</property></configuration>"));
    try (Connection connection = connect(network(careless))) {
      assertThat(connection.server()).isEqualTo("echo 1");
    }
  }

  @Test
  void aCertificateOfAStrangeAuthorityShouldBeRefused() throws IOException {
    start(serverKeys, false);
    refused(network(stranger.clientFile()), "no authority in this side's truststore");
  }

  @Test
  void aClientWithoutTlsShouldBeToldSo() throws IOException {
    start(serverKeys, false);
    refused(Network.SOCKETS, "echo 1 requires TLS", "sailfish.tls=true");
  }

  @Test
  void aServerWithoutTlsShouldBeFoundOut() throws IOException {
    try (FrameServer plain =
        FrameServer.start(EchoService.SERVICE, ServerConfig.of("plain", "127.0.0.1", 0), handler)) {
      Network network = network(authority.clientFile());
      IOException failure =
          catchThrowableOfType(IOException.class, () -> connect(network, plain.port()).close());
      assertThat(failure)
          .hasMessageContaining("cannot connect to")
          .hasMessageContaining("does that port speak TLS");
      assertThat(plain.metrics().get(ServerMetric.PROTOCOL_ERRORS)).isEqualTo(1);
    }
  }

  @Test
  void aServerThatSaysNothingShouldCostTheDeadline() throws IOException {
    Network network = network(authority.clientFile());
    try (ServerSocket silent = new ServerSocket(0)) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", silent.getLocalPort());
      assertThat(
              catchThrowableOfType(
                  SocketTimeoutException.class,
                  () ->
                      Connection.open(
                          network, address, "test", Credentials.none(), Duration.ofMillis(300))))
          .hasMessageContaining("waiting for connect");
    }
  }

  @Test
  void aPeerThatSaysNothingShouldBeDropped() throws IOException {
    start(impatient(), serverKeys, false);
    try (Socket silent = new Socket("127.0.0.1", server.port())) {
      silent.setSoTimeout((int) DEADLINE.toMillis());
      silent.getOutputStream().write(new byte[] {0x16, 3, 1});
      assertThat(silent.getInputStream().readAllBytes()).as("an alert").hasSizeLessThan(100);
    }
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS) == 0);
  }

  /** Garbage before, instead of and behind the handshake ends the connection and costs little. */
  @Test
  void garbageShouldEndInTime(SplittableRandom random) throws IOException {
    start(impatient(), serverKeys, false);
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    List<Socket> peers = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      byte[] garbage = TestBytes.random(random, 1 + random.nextInt(100_000));
      if (random.nextBoolean()) {
        record(garbage, random);
      }
      Socket peer = new Socket("127.0.0.1", server.port());
      peers.add(peer);
      try {
        peer.getOutputStream().write(garbage);
      } catch (IOException e) {
        // The server has closed it before all was written.
      }
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
          .isLessThan(MOST_GARBAGE_BYTES);
    }
    // All of them stay open on this side: the server must end them.
    await().atMost(DEADLINE).until(() -> count(ServerMetric.CONNECTIONS) == 0);
    for (Socket peer : peers) {
      peer.close();
    }
    assertThat(handler.handled).hasValue(0);
    try (Connection connection = connect(network(authority.clientFile()))) {
      assertThat(call(connection, EchoService.COLLECT).error()).isNull();
    }
  }

  /** Makes it begin like a record of the handshake, sometimes of a plausible length. */
  private static void record(byte[] garbage, SplittableRandom random) {
    byte[] head = {0x16, 3, (byte) random.nextInt(5), (byte) random.nextInt(70), 0, 1};
    System.arraycopy(head, 0, garbage, 0, Math.min(garbage.length, 3 + random.nextInt(4)));
  }

  /** A byte changed on its way ends the connection: nothing wrong comes through. */
  @Test
  void changedBytesShouldEndTheConnection(SplittableRandom random) throws Exception {
    start(serverKeys, false);
    Network network = network(authority.clientFile());
    for (int i = 0; i < 10; i++) {
      int at = 2500 + random.nextInt(30_000);
      try (FlippingProxy proxy = FlippingProxy.start(server.port(), at)) {
        byte[] bytes = TestBytes.random(random, 200_000);
        IOException failure =
            catchThrowableOfType(
                IOException.class,
                () -> {
                  try (Connection connection = connect(network, proxy.port())) {
                    call(connection, EchoService.COLLECT, ByteBuffer.wrap(bytes));
                  }
                });
        assertThat(failure).as("byte %d of the requests was changed", at).isNotNull();
      }
    }
    assertThat(handler.handled).hasValue(0);
  }
}
