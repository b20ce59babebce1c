package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.JobTicket;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.ground.wire.message.Introduction;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.metaserver.rpc.Admissions;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in with a job, and who is not, over sockets. */
class AdmissionTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String JOB = "job_1_1";
  private static final byte[] LONG = "the secret of the tasks of job 1".getBytes();
  private static final byte[] SHORT = {1, 2, 3, 4, 5, 6, 7, 8};
  private static final int MANY = 5_000;

  @TempDir private Path directory;
  private final AtomicInteger entries = new AtomicInteger();
  private final List<Metaserver> started = new ArrayList<>();
  private TestResourceManager applications;
  private byte[] secret;
  private Metaserver metaserver;

  @BeforeEach
  void start() throws IOException {
    applications = new TestResourceManager();
    applications.set("application_1_1", "ann", "RUNNING");
    ClusterSecret.create(directory.resolve("secret"));
    secret = ClusterSecret.read("secret", directory.resolve("secret"));
    metaserver = start(Map.of("resourcemanager", applications.address()));
  }

  private Metaserver start(Map<String, String> settings) throws IOException {
    MetaserverConfig config = config(settings);
    Metaserver next =
        Metaserver.start(config, new CountingJournal(Journal.of(config.journal(), null)));
    started.add(next);
    return next;
  }

  private MetaserverConfig config(Map<String, String> settings) {
    Map<String, String> properties = new HashMap<>();
    properties.put(MetaserverKey.PREFIX + "host", "127.0.0.1");
    properties.put(MetaserverKey.PREFIX + "port", "0");
    properties.put(MetaserverKey.PREFIX + "web.port", "0");
    properties.put(MetaserverKey.PREFIX + "journal.dir", "none");
    properties.put(
        MetaserverKey.PREFIX + "cluster.secret.file", directory.resolve("secret").toString());
    settings.forEach((key, value) -> properties.put(MetaserverKey.PREFIX + key, value));
    return MetaserverConfig.of(properties);
  }

  @AfterEach
  void stop() {
    started.forEach(Metaserver::close);
    applications.close();
  }

  /** Counts the entries that it is given. */
  private final class CountingJournal implements Journal {
    private final Journal journal;

    CountingJournal(Journal journal) {
      this.journal = journal;
    }

    @Override
    public void start(Machine machine) throws IOException {
      journal.start(machine);
    }

    @Override
    public CompletableFuture<byte[]> submit(byte[] entry) {
      entries.incrementAndGet();
      return journal.submit(entry);
    }

    @Override
    public CompletableFuture<Boolean> confirm() {
      return journal.confirm();
    }

    @Override
    public CompletableFuture<byte[]> receive(int kind, byte[] message) {
      return journal.receive(kind, message);
    }

    @Override
    public long term() {
      return journal.term();
    }

    @Override
    public boolean keepsUp() {
      return journal.keepsUp();
    }

    @Override
    public boolean hasPeers() {
      return journal.hasPeers();
    }

    @Override
    public void close() {
      journal.close();
    }
  }

  private Credentials task(String job, byte[] taskSecret) {
    return Credentials.ofJob(job, taskSecret)
        .introducedTo(ServerKey.of(secret).publicText(), "test.key");
  }

  private Credentials ticketed(String job, byte[] by, String named, long forMs) {
    long expiryMs = System.currentTimeMillis() + forMs;
    return task(job, LONG).withTicket(JobTicket.text(JobTicket.of(by, named, "ada", expiryMs)));
  }

  private MetaserverClient client(Credentials credentials) throws IOException {
    return MetaserverClient.connect(
        new InetSocketAddress("127.0.0.1", metaserver.port()), "test", credentials, DEADLINE);
  }

  private void create(Credentials credentials, String name, int partitions) throws IOException {
    try (MetaserverClient client = client(credentials)) {
      client.createIfiles(CoreFixture.job(credentials.jobId(name), partitions).build());
    }
  }

  private static void assertRefused(Status status, String why, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).as(e.getMessage()).isEqualTo(status))
        .hasMessageContaining(why);
  }

  @Test
  void aStrangerWithAnInventedNameGetsNothingAndCostsNothing() throws IOException {
    int before = entries.get();
    assertRefused(
        Status.NOT_ADMITTED,
        "the ResourceManager does not know application_9_9",
        () -> client(task("job_9_9", LONG)));
    assertRefused(
        Status.NOT_ADMITTED,
        "it has not the name of a YARN application's job",
        () -> client(task("invented", SHORT)));
    assertThat(entries).hasValue(before);
    assertThat(metaserver.metrics())
        .containsEntry(MetaserverMetric.JOBS.fullName(), 0L)
        .containsEntry(MetaserverMetric.JOBS_ADMITTED.fullName(), 0L);
  }

  @Test
  void manyInventedNamesKeepNobodyOut() throws IOException {
    int before = entries.get();
    for (int i = 0; i < MANY; i++) {
      Credentials stranger = task((i % 2 == 0 ? "job_9_" : "name") + i, i % 3 == 0 ? SHORT : LONG);
      assertRefused(Status.NOT_ADMITTED, "is not admitted", () -> client(stranger));
      if (i % 1000 == 999) {
        create(task(JOB, LONG), JOB, 3);
      }
    }
    assertThat(entries.get() - before).as("entries of the honest job").isLessThanOrEqualTo(6);
    assertThat(metaserver.metrics())
        .containsEntry(MetaserverMetric.JOBS.fullName(), 1L)
        .containsEntry(MetaserverMetric.JOBS_ADMITTED.fullName(), 1L);
  }

  @Test
  void theUserIsWhoRunsTheApplication() throws IOException {
    Credentials task = task(JOB, LONG);
    try (MetaserverClient client = client(task)) {
      client.createIfiles(CoreFixture.job(JOB, 3).setUser("victim").build());
      assertThat(client.describeJob(JOB, -1).getSummary().getUser()).isEqualTo("ann");
    }
    assertThat(applications.asked).as("questions").hasPositiveValue();
  }

  @Test
  void whoTakesTheNameOfAnothersApplicationGetsAJobOfHisOwn() throws IOException {
    metaserver = start(Map.of("resourcemanager", applications.address(), "user.max.ifiles", "10"));
    Credentials stranger = task(JOB, SHORT);
    create(stranger, JOB, 10);
    assertThat(stranger.jobId(JOB)).isEqualTo(JOB);
    Credentials honest = task(JOB, LONG);
    create(honest, JOB, 10);
    String id = honest.jobId(JOB);
    assertThat(id).matches("job_1_1~[0-9a-f]{8}");
    assertThat(honest.dataKey()).isNotEqualTo(stranger.dataKey());
    try (MetaserverClient client = client(honest);
        MetaserverClient other = client(stranger)) {
      client.describeJob(id, -1);
      assertRefused(Status.FORBIDDEN, "asks for job=job_1_1", () -> client.describeJob(JOB, -1));
      assertRefused(Status.FORBIDDEN, "asks for job=" + id, () -> other.deleteJob(id));
    }
    create(task(JOB, LONG), JOB, 10);
    assertThat(metaserver.metrics()).containsEntry(MetaserverMetric.JOBS.fullName(), 2L);
  }

  @Test
  void applicationsThatHaveEndedAreNotAdmitted() {
    applications.set("application_1_2", "ann", "FINISHED");
    applications.set("application_1_3", "ann", "ACCEPTED");
    applications.set("application_1_4", "", "RUNNING");
    assertRefused(
        Status.NOT_ADMITTED, "application_1_2 has ended", () -> client(task("job_1_2", LONG)));
    assertRefused(Status.NOT_ADMITTED, "does not say whose", () -> client(task("job_1_4", LONG)));
    assertThat(isAdmitted(task("job_1_3", LONG))).isTrue();
  }

  private boolean isAdmitted(Credentials credentials) {
    try {
      client(credentials).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void whileTheResourceManagerIsAwayNewJobsWaitAndOthersGoOn() throws IOException {
    create(task(JOB, LONG), JOB, 3);
    create(task(JOB, SHORT), JOB, 3);
    applications.close();
    applications.set("application_1_2", "ann", "RUNNING");
    assertRefused(
        Status.BUSY, "the ResourceManager cannot be asked", () -> client(task("job_1_2", LONG)));
    create(task(JOB, LONG), JOB, 3);
    create(task(JOB, SHORT), JOB, 3);
  }

  /** Such as an answer that is too long, of which only the beginning is read. */
  @Test
  void anApplicationThatNothingIsSaidOfKeepsOnlyItsOwnJobWaiting() throws IOException {
    applications.setText("application_1_2", "{\"app\":{\"id\":\"application_1_2\"");
    applications.set("application_1_3", "ann", "RUNNING");
    assertRefused(
        Status.BUSY, "cannot be asked for application_1_2", () -> client(task("job_1_2", LONG)));
    create(task("job_1_3", LONG), "job_1_3", 3);
  }

  @Test
  void withoutAResourceManagerATicketIsNeeded() throws IOException {
    metaserver = start(Map.of());
    assertRefused(
        Status.NOT_ADMITTED,
        "set sailfish.metaserver.resourcemanager; a program outside YARN brings a ticket, which"
            + " 'bin/sailfish ticket' makes",
        () -> client(task(JOB, LONG)));
    create(ticketed("other", secret, "other", 60_000), "other", 3);
  }

  @Test
  void aNameIsNotEnoughWhereOnlyTokensAre() {
    Admissions admissions =
        new Admissions(
            secret, () -> 0, Set.of(Admissions.TOKEN), Optional.empty(), Optional.empty());
    assertThatThrownBy(() -> admissions.admit(JOB, Introduction.getDefaultInstance()))
        .hasMessageContaining("it has no delegation token of the metaserver");
  }

  @Test
  void ticketsAreForOneJobAndATime() throws IOException {
    Credentials good = ticketed("mine", secret, "mine", 60_000);
    try (MetaserverClient client = client(good)) {
      client.createIfiles(CoreFixture.job("mine", 3).build());
      assertThat(client.describeJob("mine", -1).getSummary().getUser()).isEqualTo("ada");
    }
    assertRefused(
        Status.NOT_ADMITTED,
        "made for another job, or with another cluster secret",
        () -> client(ticketed("mine2", secret, "mine", 60_000)));
    assertRefused(
        Status.NOT_ADMITTED,
        "another cluster secret",
        () -> client(ticketed("mine3", new byte[] {1}, "mine3", 60_000)));
    assertRefused(
        Status.NOT_ADMITTED,
        "its ticket expired",
        () -> client(ticketed("mine4", secret, "mine4", -1)));
  }

  @Test
  void oneUserDoesNotUseUpThePlacesOfAll() throws IOException {
    for (int i = 0; i < 1000; i++) {
      client(ticketed("mine" + i, secret, "mine" + i, 60_000)).close();
    }
    int before = entries.get();
    assertRefused(
        Status.OVER_QUOTA,
        "user=ada jobs=1000 limit=1000 job=mine1000",
        () -> client(ticketed("mine1000", secret, "mine1000", 60_000)));
    assertThat(entries).as("entries").hasValue(before);
    create(ticketed("mine7", secret, "mine7", 60_000), "mine7", 3);
    create(ticketed("mine1000", secret, "mine1000", 60_000), "mine1000", 3);
    create(task(JOB, LONG), JOB, 3);
  }

  @Test
  void oneAddressDoesNotUseUpAName() throws IOException {
    create(task(JOB, LONG), JOB, 3);
    for (int i = 0; i < 3; i++) {
      create(task(JOB, new byte[] {(byte) i}), JOB, 3);
    }
    assertRefused(Status.BUSY, "limit=4", () -> client(task(JOB, new byte[] {9})));
    create(task(JOB, LONG), JOB, 3);
  }

  @Test
  void jobsThatWereAdmittedOutliveARestart() throws IOException {
    Map<String, String> settings =
        Map.of(
            "resourcemanager",
            applications.address(),
            "journal.dir",
            directory.resolve("journal").toString());
    Credentials longer = task(JOB, LONG);
    Credentials shorter = task(JOB, SHORT);
    metaserver = Metaserver.start(config(settings));
    try {
      create(longer, JOB, 3);
      create(shorter, JOB, 3);
    } finally {
      metaserver.close();
    }
    applications.close();
    metaserver = Metaserver.start(config(settings));
    started.add(metaserver);
    create(longer, JOB, 3);
    for (Credentials before : List.of(longer, shorter)) {
      Credentials after = task(JOB, before == longer ? LONG : SHORT);
      create(after, JOB, 3);
      assertThat(after.dataKey()).isEqualTo(before.dataKey());
      assertThat(after.jobId(JOB)).isEqualTo(before.jobId(JOB));
    }
  }

  // ---- who listens, and who pretends
  // -------------------------------------------------------------

  private static byte[] frame(
      Operation<?, ?> operation, int flags, long correlation, MessageLite header) {
    byte[] bytes = header.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + bytes.length);
    FrameDescriptor.write(frame, operation, flags, correlation, bytes.length, 0);
    return frame.put(bytes).array();
  }

  private static byte[] header(DataInputStream in) throws IOException {
    ByteBuffer fixed = ByteBuffer.wrap(in.readNBytes(FrameDescriptor.LENGTH));
    return in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
  }

  private HelloResponse greet(byte[] keyId) throws IOException {
    HelloRequest hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setPrincipal("task " + JOB)
            .setClientNonce(ByteString.copyFrom(new byte[Handshake.NONCE_LENGTH]))
            .setKeyId(ByteString.copyFrom(keyId))
            .build();
    try (Socket socket = new Socket("127.0.0.1", metaserver.port())) {
      socket.setSoTimeout((int) DEADLINE.toMillis());
      socket.getOutputStream().write(frame(Operation.HELLO, 0, 1, hello));
      return HelloResponse.parseFrom(header(new DataInputStream(socket.getInputStream())));
    }
  }

  @Test
  void nothingMadeOfAShortSecretIsToldToWhoAsks() throws IOException {
    create(task(JOB, SHORT), JOB, 3);
    byte[] keyId = Handshake.keyId(Handshake.taskKey(SHORT, JOB));
    for (byte[] named : new byte[][] {new byte[0], new byte[Handshake.KEY_ID_LENGTH], keyId}) {
      HelloResponse answer = greet(named);
      assertThat(answer.getServerProof()).isEmpty();
      assertThat(answer.getIntroduce()).isTrue();
    }
    create(task(JOB, LONG), JOB, 3);
    assertThat(greet(Handshake.keyId(Handshake.taskKey(LONG, JOB))).getServerProof()).isNotEmpty();
  }

  /** Answers the first frame with what a server of another cluster might, and keeps the second. */
  private static byte[] impostor(ServerSocket listening, HelloResponse hello) throws IOException {
    try (Socket socket = listening.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] first = header(in);
      socket
          .getOutputStream()
          .write(frame(Operation.HELLO, FrameDescriptor.FLAG_RESPONSE, 1, hello));
      byte[] second = in.read() < 0 ? new byte[0] : in.readNBytes(FrameDescriptor.LENGTH - 1);
      byte[] rest = new byte[0];
      if (second.length > 0) {
        ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.LENGTH).put(1, second);
        rest = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
        socket
            .getOutputStream()
            .write(
                frame(
                    Operation.AUTHENTICATE,
                    FrameDescriptor.FLAG_RESPONSE,
                    2,
                    HelloResponse.getDefaultInstance()));
        assertThat(in.read()).as("what comes to an impostor").isEqualTo(-1);
      }
      byte[] all = Arrays.copyOf(first, first.length + rest.length);
      System.arraycopy(rest, 0, all, first.length, rest.length);
      return all;
    }
  }

  @Test
  void anImpostorGetsNothingOfUse() throws IOException {
    for (byte[] taskSecret : new byte[][] {SHORT, LONG}) {
      for (boolean introduce : new boolean[] {true, false}) {
        HelloResponse hello =
            HelloResponse.newBuilder()
                .setProtocolVersion(FrameDescriptor.VERSION)
                .setServer("metaserver")
                .setServerNonce(ByteString.copyFrom(new byte[Handshake.NONCE_LENGTH]))
                .setIntroduce(introduce)
                .build();
        try (ServerSocket listening = new ServerSocket(0)) {
          CompletableFuture<byte[]> got =
              CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      return impostor(listening, hello);
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
          Credentials task = task(JOB, taskSecret);
          assertRefused(
              Status.UNAUTHENTICATED,
              "did not prove",
              () ->
                  MetaserverClient.connect(
                      new InetSocketAddress("127.0.0.1", listening.getLocalPort()),
                      "test",
                      task,
                      DEADLINE));
          assertNothingOfUse(HexFormat.of().formatHex(got.join()), taskSecret);
        }
      }
    }
  }

  private static void assertNothingOfUse(String seen, byte[] taskSecret) {
    byte[] key = Handshake.taskKey(taskSecret, JOB);
    assertThat(seen).doesNotContain(HexFormat.of().formatHex(key));
    assertThat(seen.contains(HexFormat.of().formatHex(Handshake.keyId(key))))
        .as("id of a key whose secret cannot be guessed")
        .isEqualTo(taskSecret == LONG);
  }

  @Test
  void strangersWithoutAHandshakeAreFew() throws IOException {
    metaserver =
        start(
            Map.of(
                "resourcemanager", applications.address(), "connections.unauthenticated.max", "8"));
    List<Socket> strangers = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        strangers.add(new Socket("127.0.0.1", metaserver.port()));
      }
      await()
          .atMost(DEADLINE)
          .until(() -> metaserver.metrics().get(ServerMetric.CROWDED_OUT.fullName()) == 48);
      create(task(JOB, LONG), JOB, 3);
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }
}
