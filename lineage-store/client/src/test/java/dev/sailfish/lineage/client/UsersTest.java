package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.lineage.protocol.BlockToken;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.BlockTokenKey;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.ClaimRoomRequest;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockRequest;
import dev.sailfish.lineage.protocol.wire.ShareBlockRequest;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.SuspectBlockRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WriteBlockRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users with tokens at a master and a worker that have a secret. */
@Timeout(120)
class UsersTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration BLOCK_TOKENS = Duration.ofSeconds(1);
  private static final Set<String> HERE = Set.of("localhost");
  private static final Set<String> ELSEWHERE = Set.of();
  private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);
  private static final int MODE = 0640;

  @TempDir static Path directory;
  private static byte[] secret;
  private static DelegationKey tokens;
  private static BlockTokenKey blockTokens;
  private static TestStore store;
  private static int workerPort;

  @BeforeAll
  static void start() throws IOException {
    Path file = directory.resolve("secret");
    ClusterSecret.create(file);
    secret = ClusterSecret.read("test", file);
    tokens = new DelegationKey(secret, LineageService.TOKENS, Duration.ofHours(1));
    blockTokens = new BlockTokenKey(secret);
    Path groups = directory.resolve("group");
    Files.writeString(groups, "# who is where\nstaff:x:100:alice, carol\nothers:x:101:\n");
    store =
        new TestStore(
            directory,
            Map.of("authentication", "secret", "cluster.secret.file", file.toString()),
            Map.of(
                "superusers",
                "admin",
                "groups.file",
                groups.toString(),
                "block.token.lifetime",
                BLOCK_TOKENS.toMillis() + "ms"));
    workerPort = store.startWorker(1).port();
    NamespaceClient root = clusterClient().namespace();
    root.setMode("/", 0777);
    for (String user : new String[] {"alice", "mallory", "carol", "admin"}) {
      root.makeDirectories("/" + user, 0755);
      root.setOwner("/" + user, user, "staff");
    }
  }

  @AfterAll
  static void stop() throws IOException {
    store.close();
  }

  private static StoreClient clusterClient() {
    return store.client(Credentials.ofCluster(secret), TestStore.ROOT, HERE);
  }

  private static Credentials of(DelegationKey key, String user, long issuedMs) {
    byte[] identifier = key.issue(user, "", "", issuedMs).identifier();
    return Credentials.ofToken(identifier, key.password(identifier));
  }

  private static Credentials of(String user) {
    return of(tokens, user, System.currentTimeMillis());
  }

  private static StoreUser named(String user) {
    return StoreUser.newBuilder().setName(user).build();
  }

  private static StoreClient client(String user, Set<String> hosts) {
    return store.client(of(user), named(user), hosts);
  }

  private static CreateFile file(String path, int mode) {
    return TestStore.file(path).toBuilder().setMode(mode).build();
  }

  private static FileEntry put(StoreClient client, String path, int mode, byte[]... pieces)
      throws IOException {
    try (FileOutput output = client.create(file(path, mode))) {
      for (byte[] piece : pieces) {
        output.write(piece);
      }
    }
    return client.namespace().stat(path);
  }

  private static byte[] get(StoreClient client, String path) throws IOException {
    try (FileInput input = client.open(path)) {
      return input.readAllBytes();
    }
  }

  private static void assertRefused(Status status, String why, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            RemoteException.class, refusal -> assertThat(refusal.status()).isEqualTo(status))
        .hasMessageContaining(why);
  }

  private static void assertDenied(ThrowingCallable request) {
    assertReason(Refusal.Reason.DENIED, request);
  }

  private static void assertReason(Refusal.Reason reason, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            StoreRefusedException.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }

  @Test
  void aUserWritesAndReadsWhatIsHis() throws IOException {
    for (Set<String> hosts : Set.of(HERE, ELSEWHERE)) {
      StoreClient alice = client("alice", hosts);
      String path = "/alice/own-" + hosts.size();
      assertThat(put(alice, path, 0600, HELLO).getOwner()).isEqualTo("alice");
      assertThat(get(alice, path)).isEqualTo(HELLO);
      try (FileInput input = alice.open(path)) {
        ByteBuffer mapped = input.map(0);
        assertThat(mapped.remaining()).isEqualTo(HELLO.length);
      }
    }
    assertThat(get(clusterClient(), "/alice/own-1")).isEqualTo(HELLO);
  }

  @Test
  void theMasterKnowsWhichGroupsAUserIsIn() throws IOException {
    put(client("alice", HERE), "/alice/for-staff", MODE, HELLO);
    assertThat(get(client("carol", ELSEWHERE), "/alice/for-staff")).isEqualTo(HELLO);
    StoreUser claim = StoreUser.newBuilder().setName("mallory").addGroups("staff").build();
    StoreClient mallory = store.client(of("mallory"), claim, HERE);
    assertDenied(() -> mallory.open("/alice/for-staff"));
  }

  @Test
  void theMasterKnowsWhoIsASuperuser() throws IOException {
    put(client("alice", HERE), "/alice/secret", 0600, HELLO);
    StoreUser claim = StoreUser.newBuilder().setName("mallory").setSuperuser(true).build();
    StoreClient mallory = store.client(of("mallory"), claim, HERE);
    assertDenied(() -> mallory.open("/alice/secret"));
    assertDenied(() -> mallory.namespace().delete("/alice/secret", false));
    assertThat(get(client("admin", HERE), "/alice/secret")).isEqualTo(HELLO);
  }

  @Test
  void aUserAsksForNobodyElse() {
    StoreClient mallory = store.client(of("mallory"), named("alice"), HERE);
    String why = "user='mallory', by its token, and asks for user='alice'";
    assertRefused(Status.FORBIDDEN, why, () -> mallory.namespace().stat("/"));
    assertRefused(Status.FORBIDDEN, why, () -> mallory.namespace().list("/", "", 1));
    assertRefused(Status.FORBIDDEN, why, () -> mallory.open("/alice/secret"));
    assertRefused(Status.FORBIDDEN, why, () -> mallory.namespace().delete("/alice", true));
  }

  @Test
  void aForeignFileIsNotFoundByItsIdEither() throws IOException {
    FileEntry entry = put(client("alice", HERE), "/alice/by-id", 0600, HELLO);
    NamespaceClient mallory = client("mallory", HERE).namespace();
    assertDenied(() -> mallory.open("/alice/by-id", 0));
    assertDenied(() -> mallory.locate(entry.getFid(), 0, 0));
    assertDenied(() -> mallory.stat(entry.getFid()));
  }

  @Test
  void nobodyTakesAnotherUsersClientForHisOwn() throws IOException {
    long number = 4711;
    NamespaceClient alice =
        new NamespaceClient(Configs.of(store.masters(), of("alice"), named("alice")), number);
    NamespaceClient mallory =
        new NamespaceClient(Configs.of(store.masters(), of("mallory"), named("mallory")), number);
    try (alice;
        mallory) {
      long fid = alice.create(file("/alice/writing", 0600)).getEntry().getFid();
      GrantWritingResponse granted = alice.grantWriting(fid, Set.of());
      assertThat(granted.getBlockToken().isEmpty()).isFalse();
      assertThat(granted.getWorkersCount()).isOne();
      assertReason(Refusal.Reason.NOT_WRITING, () -> mallory.grantWriting(fid, Set.of()));
      assertReason(Refusal.Reason.NOT_WRITING, () -> mallory.abandon(fid));
      alice.abandon(fid);
    }
  }

  @Test
  void aUserIsNoWorker() throws IOException {
    try (Connection master =
        Connection.open(store.masters().get(0), "test", of("alice"), DEADLINE)) {
      for (Map.Entry<Operation<?, ?>, MessageLite> one :
          Map.<Operation<?, ?>, MessageLite>of(
                  LineageService.REGISTER_WORKER,
                  RegisterWorkerRequest.getDefaultInstance(),
                  LineageService.REPORT_BLOCKS,
                  ReportBlocksRequest.getDefaultInstance(),
                  LineageService.WORKER_HEARTBEAT,
                  WorkerHeartbeatRequest.getDefaultInstance())
              .entrySet()) {
        assertRefused(Status.FORBIDDEN, "authenticated for 'user alice'", () -> ask(master, one));
      }
    }
  }

  @Test
  void aTokenThatIsNoneLetsNobodyIn() {
    long now = System.currentTimeMillis();
    byte[] other = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    DelegationKey strange = new DelegationKey(other, LineageService.TOKENS, Duration.ofHours(1));
    DelegationKey ofJobs = new DelegationKey(secret, Duration.ofHours(1));
    byte[] identifier = tokens.issue("alice", "", "", now).identifier();
    Map<String, Credentials> bad = new LinkedHashMap<>();
    bad.put("another cluster's secret", of(strange, "alice", now));
    bad.put("for another service", of(ofJobs, "alice", now));
    bad.put("has expired", of(tokens, "alice", now - Duration.ofHours(2).toMillis()));
    bad.put("did not prove that it knows", Credentials.ofToken(identifier, other));
    bad.put("no identifier", Credentials.ofToken(HELLO, other));
    bad.forEach(
        (why, credentials) -> {
          for (int port : new int[] {store.masters().get(0).getPort(), workerPort}) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            assertRefused(
                Status.UNAUTHENTICATED,
                why,
                () -> Connection.open(address, "test", credentials, DEADLINE).close());
          }
        });
  }

  // ---- blocks

  private static byte[] sealed(long fid, Access access, long expiresMs, String user) {
    return blockTokens.seal(new BlockToken(fid, access, expiresMs, user));
  }

  private static Map<Operation<?, ?>, MessageLite> requests(BlockName name) {
    Map<Operation<?, ?>, MessageLite> requests = new LinkedHashMap<>();
    requests.put(
        WorkerService.BEGIN,
        BeginBlockRequest.newBuilder().setName(name).setCapacity(1).setLocal(true).build());
    requests.put(WorkerService.CLAIM, ClaimRoomRequest.newBuilder().setName(name).build());
    requests.put(WorkerService.WRITE, WriteBlockRequest.newBuilder().setName(name).build());
    requests.put(WorkerService.SEAL, SealBlockRequest.newBuilder().setName(name).build());
    requests.put(WorkerService.ABANDON, AbandonBlockRequest.newBuilder().setName(name).build());
    requests.put(WorkerService.SHARE, ShareBlockRequest.newBuilder().setName(name).build());
    requests.put(
        WorkerService.READ, ReadBlockRequest.newBuilder().setName(name).setLength(1).build());
    requests.put(WorkerService.SUSPECT, SuspectBlockRequest.newBuilder().setName(name).build());
    return requests;
  }

  private static void ask(Connection connection, Map.Entry<Operation<?, ?>, MessageLite> one)
      throws IOException {
    boolean isWrite = one.getKey() == WorkerService.WRITE;
    PayloadReply reply = new PayloadReply(1 << 20);
    ByteBuffer[] payload = isWrite ? new ByteBuffer[] {ByteBuffer.wrap(HELLO)} : new ByteBuffer[0];
    connection.send(one.getKey(), one.getValue(), reply, payload);
    while (!reply.ended()) {
      connection.poll();
    }
    if (reply.error() != null) {
      throw reply.error();
    }
  }

  /** That a worker refuses all that is asked with such a token. */
  private static void assertAllRefused(
      String user, long fid, byte[] token, Status status, String why) throws IOException {
    BlockName name =
        BlockName.newBuilder().setFid(fid).setToken(ByteString.copyFrom(token)).build();
    try (Connection worker =
        Connection.open(
            new InetSocketAddress("127.0.0.1", workerPort), "test", of(user), DEADLINE)) {
      for (Map.Entry<Operation<?, ?>, MessageLite> one : requests(name).entrySet()) {
        assertRefused(status, why, () -> ask(worker, one));
      }
    }
  }

  @Test
  void aWorkerGivesNothingWithoutAGoodToken() throws IOException {
    long fid = put(client("alice", HERE), "/alice/guarded", 0600, HELLO).getFid();
    long later = System.currentTimeMillis() + DEADLINE.toMillis();
    long before = store.metric(1, "tokens_refused_total");
    assertAllRefused("mallory", fid, new byte[0], Status.FORBIDDEN, "has no block token");
    assertAllRefused("mallory", fid, HELLO, Status.FORBIDDEN, "no bytes of a block token");
    BlockTokenKey strange = new BlockTokenKey(HELLO);
    byte[] strangers = strange.seal(new BlockToken(fid, Access.READ, later, "mallory"));
    assertAllRefused("mallory", fid, strangers, Status.FORBIDDEN, "another cluster's secret");
    byte[] forged = sealed(fid, Access.READ, later, "mallory");
    forged[forged.length - 1] ^= 1;
    assertAllRefused("mallory", fid, forged, Status.FORBIDDEN, "was changed or made up");
    for (Access access : Access.values()) {
      byte[] stolen = sealed(fid, access, later, "alice");
      assertAllRefused("mallory", fid, stolen, Status.FORBIDDEN, "is for user='alice'");
      byte[] ofAnother = sealed(fid + 1, access, later, "mallory");
      assertAllRefused("mallory", fid, ofAnother, Status.FORBIDDEN, "asks for ");
    }
    assertThat(store.metric(1, "tokens_refused_total") - before).isEqualTo(8 * 8);
    assertThat(get(client("alice", ELSEWHERE), "/alice/guarded")).isEqualTo(HELLO);
  }

  @Test
  void aTokenIsForReadingOrForWriting() throws IOException {
    long fid = put(client("alice", HERE), "/alice/either", 0600, HELLO).getFid();
    long later = System.currentTimeMillis() + DEADLINE.toMillis();
    Set<Operation<?, ?>> reading =
        Set.of(WorkerService.SHARE, WorkerService.READ, WorkerService.SUSPECT);
    try (Connection worker =
        Connection.open(
            new InetSocketAddress("127.0.0.1", workerPort), "test", of("alice"), DEADLINE)) {
      for (Access access : Access.values()) {
        ByteString token = ByteString.copyFrom(sealed(fid, access, later, "alice"));
        BlockName name = BlockName.newBuilder().setFid(fid).setToken(token).build();
        for (Map.Entry<Operation<?, ?>, MessageLite> one : requests(name).entrySet()) {
          if (reading.contains(one.getKey()) != (access == Access.READ)) {
            assertRefused(Status.FORBIDDEN, "access=" + access, () -> ask(worker, one));
          }
        }
      }
    }
  }

  @Test
  void anExpiredTokenBeginsNothing() throws IOException {
    long fid = put(client("alice", HERE), "/alice/late", 0600, HELLO).getFid();
    long now = System.currentTimeMillis();
    try (Connection worker =
        Connection.open(
            new InetSocketAddress("127.0.0.1", workerPort), "test", of("alice"), DEADLINE)) {
      for (Access access : Access.values()) {
        ByteString token = ByteString.copyFrom(sealed(fid, access, now, "alice"));
        BlockName name = BlockName.newBuilder().setFid(fid).setToken(token).build();
        Map<Operation<?, ?>, MessageLite> requests = requests(name);
        requests
            .keySet()
            .retainAll(
                access == Access.READ
                    ? Set.of(WorkerService.SHARE, WorkerService.READ, WorkerService.SUSPECT)
                    : Set.of(WorkerService.BEGIN));
        for (Map.Entry<Operation<?, ?>, MessageLite> one : requests.entrySet()) {
          assertRefused(Status.TOKEN_EXPIRED, "has expired", () -> ask(worker, one));
        }
      }
    }
  }

  private static void awaitExpiry() {
    long end = System.currentTimeMillis() + BLOCK_TOKENS.toMillis();
    Awaitility.await("the token has expired")
        .atMost(DEADLINE)
        .until(() -> System.currentTimeMillis() > end);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoWritesAndReadsForLongGoesOn(boolean isHere) throws IOException {
    StoreClient alice = client("alice", isHere ? HERE : ELSEWHERE);
    String path = "/alice/long-" + isHere;
    byte[] half = new byte[TestStore.BLOCK / 2];
    Arrays.fill(half, (byte) 7);
    long before = store.metric(1, "tokens_refused_total");
    try (FileOutput output = alice.create(file(path, 0600))) {
      output.write(half);
      awaitExpiry(); // in a block that was begun
      output.write(half);
      awaitExpiry(); // between two blocks
      output.write(half);
      output.write(half);
      output.write(half);
    }
    assertThat(store.metric(1, "tokens_refused_total")).isGreaterThan(before);
    before = store.metric(1, "tokens_refused_total");
    try (FileInput input = alice.open(path)) {
      assertThat(input.readNBytes(half.length)).isEqualTo(half);
      awaitExpiry();
      assertThat(input.readNBytes(half.length)).isEqualTo(half);
      input.rest();
      assertThat(input.readNBytes(half.length)).isEqualTo(half);
      awaitExpiry();
      assertThat(input.readNBytes(half.length)).isEqualTo(half);
      assertThat(input.readAllBytes()).isEqualTo(half);
    }
    assertThat(store.metric(1, "tokens_refused_total")).isGreaterThan(before);
  }

  @Test
  void whoLosesTheRightToReadLosesItWithTheToken() throws IOException {
    StoreClient alice = client("alice", HERE);
    StoreClient mallory = client("mallory", ELSEWHERE);
    byte[] block = new byte[TestStore.BLOCK];
    put(alice, "/alice/lent", 0644, block, block);
    try (FileInput input = mallory.open("/alice/lent")) {
      assertThat(input.readNBytes(block.length)).isEqualTo(block);
      alice.namespace().setMode("/alice/lent", 0600);
      awaitExpiry();
      assertDenied(() -> input.readNBytes(block.length));
    }
  }
}
