package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.GetDelegationTokenRequest;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.SealedKey;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.GetJobKeyRequest;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what at a metaserver, over its sockets. */
class MetaserverAuthenticationTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String JOB = "job_1_1";
  private static final String OTHER = "job_1_2";
  private static final byte[] TASK_SECRET =
      "the secret of the tasks of job 1".getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path directory;
  private Path secretFile;
  private byte[] secret;
  private Metaserver metaserver;

  @BeforeEach
  void start() throws IOException {
    secretFile = directory.resolve("secret");
    ClusterSecret.create(secretFile);
    secret = ClusterSecret.read("secret", secretFile);
    metaserver = start(Map.of("cluster.secret.file", secretFile.toString(), "lease", "5s"));
  }

  private static Metaserver start(Map<String, String> settings) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put(MetaserverKey.PREFIX + "host", "127.0.0.1");
    properties.put(MetaserverKey.PREFIX + "port", "0");
    properties.put(MetaserverKey.PREFIX + "web.port", "0");
    properties.put(MetaserverKey.PREFIX + "journal.dir", "none");
    settings.forEach((key, value) -> properties.put(MetaserverKey.PREFIX + key, value));
    return Metaserver.start(MetaserverConfig.of(properties));
  }

  @AfterEach
  void stop() {
    metaserver.close();
  }

  private InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  private Credentials task(String job) {
    return Credentials.ofJob(job, TASK_SECRET).admittedBy(secret, "ann");
  }

  private MetaserverClient client(Credentials credentials) throws IOException {
    return MetaserverClient.connect(address(), "test", credentials, DEADLINE);
  }

  private MetaserverClient cluster() throws IOException {
    return client(Credentials.ofCluster(secret));
  }

  private static void assertRefused(Status status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class,
            e -> assertThat(e.status()).as(e.getMessage()).isEqualTo(status));
  }

  @Test
  void doesNotStartWhenNothingIsSaidOfAuthentication() {
    assertThatThrownBy(() -> start(Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sailfish.metaserver.cluster.secret.file")
        .hasMessageContaining("sailfish.metaserver.authentication=none");
  }

  @Test
  void doesNotStartWithASecretThatOthersCanRead() throws IOException {
    Files.setPosixFilePermissions(secretFile, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> start(Map.of("cluster.secret.file", secretFile.toString())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sailfish.metaserver.cluster.secret.file=" + secretFile)
        .hasMessageContaining("chmod 600");
  }

  @Test
  void aJobThatWasIntroducedIsKnown() throws IOException {
    assertRefused(Status.UNAUTHENTICATED, () -> client(Credentials.ofJob(JOB, TASK_SECRET)));
    try (MetaserverClient first = client(task(JOB));
        MetaserverClient second = client(Credentials.ofJob(JOB, TASK_SECRET))) {
      first.createIfiles(CoreFixture.job(JOB, 3).build());
      second.renewLease(JOB);
      assertThat(second.describeJob(JOB, -1).getSummary().getPartitions()).isEqualTo(3);
    }
  }

  @Test
  void aJobMayDoWhatConcernsIt() throws IOException {
    try (MetaserverClient task = client(task(JOB))) {
      task.createIfiles(CoreFixture.job(JOB, 3).build());
      task.renewLease(JOB);
      task.abortAttempt(AbortAttemptRequest.newBuilder().setJob(JOB).build());
      task.planPartition(PlanPartitionRequest.newBuilder().setJob(JOB).build());
      task.sumWinners(SumWinnersRequest.newBuilder().setJob(JOB).build());
      assertThat(task.describeJob(JOB, -1).getSummary().getUser()).isEqualTo("ann");
      task.deleteJob(JOB);
    }
  }

  private static final Set<Operation<?, ?>> OF_CHUNKSERVERS =
      Set.of(
          IfileService.APPEND,
          IfileService.AWAIT_SORTED,
          IfileService.READ,
          IfileService.SUMMARIZE_INDEX,
          IfileService.LIST_CHUNKS);

  /** Every request that a job may not send, because it is another job's or the cluster's. */
  private static Map<Operation<?, ?>, MessageLite> forbidden() {
    Map<Operation<?, ?>, MessageLite> requests = new HashMap<>();
    requests.put(IfileService.CREATE_IFILES, CoreFixture.job(JOB, 3).build());
    requests.put(IfileService.BIND, BindRequest.newBuilder().setJob(JOB).build());
    requests.put(
        IfileService.COMMIT_MANIFEST, CommitManifestRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.ABORT_ATTEMPT, AbortAttemptRequest.newBuilder().setJob(JOB).build());
    requests.put(
        IfileService.PLAN_PARTITION, PlanPartitionRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.SUM_WINNERS, SumWinnersRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.RENEW_LEASE, RenewLeaseRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.DELETE_JOB, DeleteJobRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.DESCRIBE_JOB, DescribeJobRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.LIST_JOBS, ListJobsRequest.getDefaultInstance());
    requests.put(IfileService.REGISTER_CHUNKSERVER, CoreFixture.server("s1").build());
    requests.put(IfileService.HEARTBEAT, HeartbeatRequest.newBuilder().setServerId("s1").build());
    requests.put(IfileService.SERVER_STATUS, ServerStatusRequest.getDefaultInstance());
    requests.put(
        IfileService.REPORT_UNREADABLE, ReportUnreadableRequest.newBuilder().setJob(JOB).build());
    requests.put(IfileService.DRAIN, DrainRequest.newBuilder().setServer("127.0.0.1:1").build());
    requests.put(IfileService.GET_JOB_KEY, GetJobKeyRequest.newBuilder().setJob(OTHER).build());
    requests.put(IfileService.JOURNAL, JournalRequest.newBuilder().setMessage(1).build());
    requests.put(IfileService.GET_DELEGATION_TOKEN, GetDelegationTokenRequest.getDefaultInstance());
    return requests;
  }

  @Test
  void aJobMayNotDoWhatIsAnotherJobsOrTheClusters() throws IOException {
    try (MetaserverClient task = client(task(JOB));
        Connection other = Connection.open(address(), "test", task(OTHER), DEADLINE);
        MetaserverClient cluster = cluster()) {
      task.createIfiles(CoreFixture.job(JOB, 3).build());
      forbidden()
          .forEach(
              (operation, request) ->
                  assertRefused(
                      Status.FORBIDDEN,
                      () -> {
                        PayloadReply reply = new PayloadReply();
                        other.send(operation, request, reply);
                        while (!reply.ended()) {
                          other.poll();
                        }
                        if (reply.error() != null) {
                          throw reply.error();
                        }
                      }));
      assertThat(other.isOpen()).isTrue();
      assertThat(cluster.listJobs().getJobsList())
          .extracting(JobSummary::getJob)
          .containsExactly(JOB);
      assertThat(cluster.status().getCountersMap())
          .containsEntry(ServerMetric.FORBIDDEN.fullName(), (long) forbidden().size())
          .containsEntry(MetaserverMetric.REGISTRATIONS.fullName(), 0L);
    }
  }

  @Test
  void noOperationIsForgottenAbove() {
    assertThat(forbidden().keySet())
        .as("operations of a metaserver")
        .containsAll(
            IfileService.SERVICE.operations().stream()
                .filter(operation -> !OF_CHUNKSERVERS.contains(operation))
                .toList());
  }

  @Test
  void tellsTheKeyToTheClusterOnly() throws IOException {
    Credentials task = task(JOB);
    client(task).close();
    GetJobKeyRequest request = GetJobKeyRequest.newBuilder().setJob(JOB).build();
    try (Connection cluster =
        Connection.open(address(), "test", Credentials.ofCluster(secret), DEADLINE)) {
      GetJobKeyResponse sealed =
          cluster.call(IfileService.GET_JOB_KEY, request, GetJobKeyResponse.parser());
      byte[] key =
          new SealedKey(sealed.getSalt(), sealed.getSealedKey(), sealed.getMac())
              .open(secret, cluster.session(), JOB);
      assertThat(Handshake.dataKey(key, JOB)).isEqualTo(task.dataKey());
      assertThat(sealed.getSealedKey().toByteArray()).isNotEqualTo(key);
      GetJobKeyRequest unknown = GetJobKeyRequest.newBuilder().setJob("job_0").build();
      assertRefused(
          Status.JOB_UNKNOWN,
          () -> cluster.call(IfileService.GET_JOB_KEY, unknown, GetJobKeyResponse.parser()));
    }
  }

  @Test
  void aDeletedJobsKeyIsGoodForNothing() throws IOException {
    Credentials before = task(JOB);
    try (MetaserverClient task = client(before);
        MetaserverClient cluster = cluster()) {
      task.createIfiles(CoreFixture.job(JOB, 3).build());
      cluster.deleteJob(JOB);
      assertRefused(Status.JOB_UNKNOWN, () -> task.renewLease(JOB));
      assertRefused(Status.JOB_UNKNOWN, () -> client(before));
      assertRefused(Status.JOB_UNKNOWN, () -> client(task(JOB)));
      // The same name and key may come again when the lease is over, and get another access key.
      await().atMost(DEADLINE).until(() -> isAdmitted(task(JOB)));
      Credentials after = task(JOB);
      try (MetaserverClient next = client(after)) {
        next.createIfiles(CoreFixture.job(JOB, 9).build());
        assertRefused(Status.JOB_UNKNOWN, () -> task.describeJob(JOB, -1));
        assertRefused(Status.UNAUTHENTICATED, () -> client(before));
        assertThat(after.dataKey()).isNotEqualTo(before.dataKey());
      }
    }
  }

  private boolean isAdmitted(Credentials credentials) throws IOException {
    try {
      client(credentials).close();
      return true;
    } catch (RemoteException e) {
      assertThat(e.status()).isEqualTo(Status.JOB_UNKNOWN);
      return false;
    }
  }

  @Test
  void refusesNamesThatNoJobHas() throws IOException {
    for (String name : new String[] {"", "a/b", "a b", "x".repeat(201), "a~b"}) {
      assertRefused(Status.BAD_REQUEST, () -> client(task(name)));
    }
  }
}
