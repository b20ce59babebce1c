package dev.sailfish.metaserver.kerberos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest.Issued;
import dev.sailfish.ground.wire.kerberos.GssSession;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.token.DelegationKey;
import dev.sailfish.ground.wire.token.DelegationToken;
import dev.sailfish.kdc.TestKdc;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.DelegationEvidence;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A metaserver with a keytab, users with tickets of a real KDC, and jobs with tokens. */
class MetaserverKerberosTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String SERVICE = "sailfish/localhost";
  private static final byte[] TASK_SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final Duration LIFETIME = Duration.ofHours(1);

  @TempDir static Path temporary;
  private static TestKdc kdc;
  private static Metaserver metaserver;
  private static byte[] secret;
  private static Subject alice;
  private static Subject oozie;

  @BeforeAll
  static void start() throws Exception {
    Path kdcDirectory = temporary.resolve("kdc");
    assertThat(kdcDirectory.toFile().mkdir()).isTrue();
    kdc = TestKdc.start(kdcDirectory);
    Path file = temporary.resolve("secret");
    ClusterSecret.create(file);
    secret = ClusterSecret.read("test", file);
    alice = TestKdc.login("alice", kdc.keytab("alice"));
    oozie = TestKdc.login("oozie/localhost", kdc.keytab("oozie/localhost"));
    metaserver =
        start(
            Map.of(
                "kerberos.principal",
                "sailfish/_HOST@" + TestKdc.REALM,
                "kerberos.keytab",
                kdc.keytab(SERVICE).toString(),
                "kerberos.proxy.users",
                "oozie",
                "token.lifetime",
                LIFETIME.toMillis() + "ms"));
  }

  private static Metaserver start(Map<String, String> more) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("sailfish.metaserver.host", "127.0.0.1");
    properties.put("sailfish.metaserver.port", "0");
    properties.put("sailfish.metaserver.web.port", "0");
    properties.put("sailfish.metaserver.journal.dir", "none");
    properties.put(
        "sailfish.metaserver.cluster.secret.file", temporary.resolve("secret").toString());
    more.forEach((key, value) -> properties.put("sailfish.metaserver." + key, value));
    return Metaserver.start(MetaserverConfig.of(properties));
  }

  @AfterAll
  static void stop() throws IOException {
    metaserver.close();
    kdc.close();
  }

  private static InetSocketAddress address(Metaserver server) {
    return new InetSocketAddress("127.0.0.1", server.port());
  }

  private static Issued ask(Subject user, String owner) throws IOException {
    return ask(user, owner, List.of(address(metaserver)));
  }

  private static Issued ask(Subject user, String owner, List<InetSocketAddress> addresses)
      throws IOException {
    DelegationTokenRequest request =
        new DelegationTokenRequest(
            IfileService.GET_DELEGATION_TOKEN,
            "test",
            "sailfish/_HOST@" + TestKdc.REALM,
            owner,
            "rm/host");
    return TestKdc.as(user, () -> request.ask(Network.SOCKETS, addresses, DEADLINE));
  }

  private static Evidence bearer(Issued token) {
    return new DelegationEvidence(token.identifier(), token.password());
  }

  private static Credentials task(String job) {
    return Credentials.ofJob(job, TASK_SECRET)
        .introducedTo(ServerKey.of(secret).publicText(), "test.key");
  }

  private static void runJob(String job, Credentials credentials) throws IOException {
    try (MetaserverClient client =
        MetaserverClient.connect(address(metaserver), "test", credentials, DEADLINE)) {
      client.createIfiles(
          CreateIfilesRequest.newBuilder()
              .setJob(credentials.jobId(job))
              .setPartitions(1)
              .setOrdering(Ordering.NORMALIZED.code())
              .setCodec(CodecId.NONE.code())
              .setUser("anyone")
              .build());
    }
  }

  private static String userOf(String job) throws IOException {
    try (MetaserverClient tool =
        MetaserverClient.connect(
            address(metaserver), "test", Credentials.ofCluster(secret), DEADLINE)) {
      return tool.describeJob(job, -1).getSummary().getUser();
    }
  }

  private static void assertRefused(ThrowingCallable call, Status status, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).as(e.getMessage()).isEqualTo(status))
        .hasMessageContaining(why);
  }

  private static void assertNotAdmitted(String job, Issued token, String why) {
    assertRefused(() -> runJob(job, task(job).with(bearer(token))), Status.NOT_ADMITTED, why);
  }

  @Test
  void aTokenShouldAdmitJobsOfItsOwner() throws IOException {
    long before = System.currentTimeMillis();
    Issued token = ask(alice, "");
    DelegationToken read = DelegationToken.of(token.identifier());
    assertThat(read.owner()).isEqualTo("alice");
    assertThat(read.realUser()).isEmpty();
    assertThat(read.renewer()).isEqualTo("rm/host");
    assertThat(read.issuedMs()).isBetween(before, System.currentTimeMillis());
    assertThat(read.expiresMs() - read.issuedMs()).isEqualTo(LIFETIME.toMillis());
    for (String job : List.of("job_1_0001", "job_1_0002")) {
      runJob(job, task(job).with(bearer(token)));
      assertThat(userOf(job)).isEqualTo("alice");
    }
  }

  @Test
  void aJobWithoutATokenShouldBeToldWhatToSet() {
    assertRefused(
        () -> runJob("job_2_0001", task("job_2_0001")),
        Status.NOT_ADMITTED,
        "mapreduce.job.hdfs-servers");
  }

  @Test
  void tokensThatWereMadeUpShouldAdmitNothing() throws IOException {
    long now = System.currentTimeMillis();
    DelegationKey ours = new DelegationKey(secret, LIFETIME);
    DelegationToken root = new DelegationToken("root", "", "", now, now + 60_000, 1, ours.id());
    assertNotAdmitted("job_3_0001", new Issued(root.identifier(), new byte[32]), "made up");
    Issued genuine = ask(alice, "");
    assertNotAdmitted("job_3_0001", new Issued(root.identifier(), genuine.password()), "made up");
    DelegationKey foreign = new DelegationKey(TASK_SECRET, LIFETIME);
    byte[] theirs = foreign.issue("alice", "", "", now).identifier();
    assertNotAdmitted(
        "job_3_0001", new Issued(theirs, foreign.password(theirs)), "another cluster's secret");
    byte[] old = ours.issue("alice", "", "", now - LIFETIME.toMillis()).identifier();
    assertNotAdmitted("job_3_0001", new Issued(old, ours.password(old)), "has expired at");
    assertNotAdmitted(
        "job_3_0001", new Issued(new byte[0], new byte[32]), "no identifier of a delegation token");
  }

  @Test
  void aUserShouldNotGetATokenForAnother() {
    assertRefused(() -> ask(alice, "bob"), Status.FORBIDDEN, "kerberos.proxy.users");
    assertRefused(() -> ask(alice, "oozie"), Status.FORBIDDEN, "kerberos.proxy.users");
  }

  @Test
  void aProxyUserShouldGetTokensForOthers() throws IOException {
    Issued token = ask(oozie, "bob");
    DelegationToken read = DelegationToken.of(token.identifier());
    assertThat(read.owner()).isEqualTo("bob");
    assertThat(read.realUser()).isEqualTo("oozie");
    runJob("job_4_0001", task("job_4_0001").with(bearer(token)));
    assertThat(userOf("job_4_0001")).isEqualTo("bob");
    assertRefused(() -> ask(oozie, "../root"), Status.BAD_REQUEST, "printable");
  }

  @Test
  void aUserShouldGetTokensAndNothingElse() throws IOException {
    try (RawUser user = new RawUser(metaserver.port())) {
      byte[] session = user.greet();
      GssSession gss = initiate(session);
      byte[] answer = user.authenticate(TestKdc.as(alice, () -> gss.next(new byte[0])));
      assertThat(TestKdc.as(alice, () -> gss.next(answer))).isEmpty();
      user.refused(IfileService.LIST_JOBS, Status.FORBIDDEN);
      user.refused(IfileService.SERVER_STATUS, Status.FORBIDDEN);
      user.refused(IfileService.GET_JOB_KEY, Status.FORBIDDEN);
      user.refused(IfileService.RENEW_LEASE, Status.FORBIDDEN);
      user.refused(IfileService.DELETE_JOB, Status.FORBIDDEN);
      user.refused(IfileService.CREATE_IFILES, Status.FORBIDDEN);
      // Not encrypted with the session's key.
      assertThat(user.refused(IfileService.GET_DELEGATION_TOKEN, Status.UNAUTHENTICATED))
          .contains("Kerberos");
    }
    try (MetaserverClient tool =
        MetaserverClient.connect(
            address(metaserver), "test", Credentials.ofCluster(secret), DEADLINE)) {
      assertThat(tool.status().getCountersMap()).containsKey(ServerMetric.FORBIDDEN.fullName());
    }
  }

  private static GssSession initiate(byte[] session) throws IOException {
    return TestKdc.as(alice, () -> GssSession.initiate(SERVICE + "@" + TestKdc.REALM, session));
  }

  @Test
  void whatWasRecordedOfAUserShouldBeRefused() throws IOException {
    byte[] used;
    byte[] intercepted;
    try (RawUser user = new RawUser(metaserver.port())) {
      byte[] session = user.greet();
      GssSession gss = initiate(session);
      used = TestKdc.as(alice, () -> gss.next(new byte[0]));
      user.authenticate(used);
      GssSession never = initiate(session);
      intercepted = TestKdc.as(alice, () -> never.next(new byte[0]));
    }
    try (RawUser replay = new RawUser(metaserver.port())) {
      replay.greet();
      assertThat(replay.refusedToken(used)).contains("Request is a replay");
    }
    try (RawUser thief = new RawUser(metaserver.port())) {
      thief.greet();
      assertThat(thief.refusedToken(intercepted)).contains("Channel binding mismatch");
    }
    try (RawUser garbage = new RawUser(metaserver.port())) {
      garbage.greet();
      assertThat(garbage.refusedToken(new byte[100])).contains("Kerberos");
    }
    try (RawUser impatient = new RawUser(metaserver.port())) {
      impatient.greet();
      impatient.refused(IfileService.GET_DELEGATION_TOKEN, Status.UNAUTHENTICATED);
    }
  }

  @Test
  void whoHasNoTicketShouldGetNothing() {
    assertThatIOException()
        .isThrownBy(() -> ask(new Subject(), ""))
        .withMessageContaining("Kerberos");
  }

  @Test
  void anUnreachableMetaserverShouldBePassedOver() throws IOException {
    Issued token =
        ask(
            alice,
            "",
            List.of(new InetSocketAddress("127.0.0.1", FreePort.next()), address(metaserver)));
    assertThat(DelegationToken.of(token.identifier()).owner()).isEqualTo("alice");
  }

  /** One of three metaservers that are not there can never lead. */
  @Test
  void aMetaserverThatDoesNotLeadShouldGiveTokens() throws Exception {
    int port = FreePort.next();
    String others = ",m2=127.0.0.1:" + FreePort.next() + ",m3=127.0.0.1:" + FreePort.next();
    try (Metaserver follower =
        start(
            Map.of(
                "port",
                Integer.toString(port),
                "peer",
                "m1",
                "peers",
                "m1=127.0.0.1:" + port + others,
                "journal.dir",
                temporary.resolve("journal").toString(),
                "kerberos.principal",
                "second/_HOST@" + TestKdc.REALM,
                "kerberos.keytab",
                kdc.keytab("second/localhost").toString()))) {
      assertThat(follower.leads()).isFalse();
      DelegationTokenRequest request =
          new DelegationTokenRequest(
              IfileService.GET_DELEGATION_TOKEN, "test", "second/_HOST@" + TestKdc.REALM, "", "");
      Issued token =
          TestKdc.as(
              alice, () -> request.ask(Network.SOCKETS, List.of(address(follower)), DEADLINE));
      runJob("job_5_0001", task("job_5_0001").with(bearer(token)));
      assertThat(userOf("job_5_0001")).isEqualTo("alice");
    }
  }

  @Test
  void aMetaserverWithoutKerberosShouldSaySo() throws IOException {
    try (Metaserver plain = start(Map.of())) {
      assertRefused(
          () -> ask(alice, "", List.of(address(plain))),
          Status.UNAUTHENTICATED,
          "sailfish.metaserver.kerberos.keytab");
    }
  }

  @Test
  void aMetaserverWithAnotherKeyShouldProveNothing() throws Exception {
    Path keytab = kdc.keytab("impostor/localhost");
    try (Metaserver impostor =
        start(
            Map.of(
                "kerberos.principal",
                "impostor/localhost@" + TestKdc.REALM,
                "kerberos.keytab",
                keytab.toString()))) {
      assertRefused(
          () -> ask(alice, "", List.of(address(impostor))),
          Status.UNAUTHENTICATED,
          "this metaserver is impostor/localhost@" + TestKdc.REALM);
    }
  }

  @Test
  void aMetaserverWithoutAUsableKeytabShouldNotStart() {
    assertThatIOException()
        .isThrownBy(
            () ->
                start(
                    Map.of(
                        "kerberos.principal",
                        "sailfish/_HOST@" + TestKdc.REALM,
                        "kerberos.keytab",
                        temporary.resolve("none").toString())))
        .withMessageContaining("keytab cannot be read");
  }
}
