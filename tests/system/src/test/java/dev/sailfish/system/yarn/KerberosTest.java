package dev.sailfish.system.yarn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest.Issued;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.DelegationEvidence;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.system.StockOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a Kerberized YARN: daemons and user have keytabs of a real KDC, Hadoop's RPC asks for
 * tickets and tokens, the shuffle's secret is the one that MapReduce made, and the job is admitted
 * by the delegation token that its client gets from the metaserver. The ResourceManager has nothing
 * of Sailfish on its class path. The stock shuffle cannot run there without Hadoop's native
 * library, so the output is compared with that of a local job.
 */
class KerberosTest {
  private static final Duration START = Duration.ofMinutes(4);
  private static final Duration JOB = Duration.ofMinutes(4);
  private static final Duration CALL = Duration.ofSeconds(20);

  /** Bytes of a chunk's beginning. */
  private static final int HEADER = 48;

  /** A job of {@code RandomJobMain} with two maps and two reduces: each is a JVM. */
  private static final long JOB_SEED = 4099;

  @TempDir static Path temporary;
  private static KerberizedCluster cluster;
  private static SailfishCommand user;

  @BeforeAll
  static void startKdcAndCluster() throws Exception {
    cluster = KerberizedCluster.start(temporary);
    user = cluster.user();
  }

  @AfterAll
  static void stopClusterAndKdc() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  private static String[] job(String output, String... settings) throws Exception {
    List<String> job = new ArrayList<>(List.of("jar", "--shuffle", "sailfish"));
    for (String setting : settings) {
      job.add("-D" + setting);
    }
    job.add(SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    job.add("dev.sailfish.jobs.RandomJobMain");
    job.add(Long.toString(JOB_SEED));
    job.add(temporary.resolve(output).toString());
    return job.toArray(new String[0]);
  }

  private static String metaserverLog() throws IOException {
    return Files.readString(temporary.resolve("cluster/logs/metaserver.log"));
  }

  @Test
  void jobShouldBeAdmittedByItsTokenAndEqualStock() throws Exception {
    user.succeed(JOB, job("output"));
    assertThat(OutputFiles.read(temporary.resolve("output")))
        .isNotEmpty()
        .isEqualTo(StockOutput.of(RandomJobSpec.ofSeed(JOB_SEED), temporary.resolve("local")));
    assertThat(metaserverLog())
        .containsPattern(
            "delegation token issued: owner="
                + KerberizedCluster.USER
                + " realUser= renewer=rm/localhost");
  }

  @Test
  void envShouldPrintWhatClientsSet() throws Exception {
    assertThat(user.succeed(START, "env").output())
        .containsPattern(
            "<name>mapreduce.job.hdfs-servers</name><value>sailfish://127.0.0.1:[0-9]+/</value>")
        .contains(
            "<name>fs.sailfish.impl</name><value>dev.sailfish.hadoop.TokenFileSystem</value>",
            "<name>sailfish.metaserver.kerberos.principal</name><value>"
                + cluster.metaserver()
                + "</value>");
  }

  /** A job that names only its own file systems; an empty value would leave the cluster's. */
  @Test
  void jobWithoutATokenShouldBeToldWhatToSet() throws Exception {
    Result result =
        user.run(
            JOB,
            List.of(
                job(
                    "refused",
                    "mapreduce.job.hdfs-servers=file:///",
                    "mapreduce.map.maxattempts=1")));
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertThat(containerLogs())
        .contains("is not admitted: it has no delegation token of the metaserver")
        .contains("set mapreduce.job.hdfs-servers");
  }

  private static String containerLogs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(temporary.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  @Test
  void clientWithAnotherPrincipalInMindShouldGetNoToken() throws Exception {
    Result result =
        user.run(JOB, List.of(job("other", "sailfish.metaserver.kerberos.principal=rm/localhost")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output())
        .contains("no delegation token of the Sailfish metaserver at 127.0.0.1")
        .contains("is sailfish.metaserver.kerberos.principal=rm/localhost the metaserver's?");
  }

  /**
   * Bob knows of Alice's job, whose I-files are kept, what a page or a log may tell: its name, its
   * id, its chunks and where they are. He has a ticket, so a token, so a job of his own; nobody
   * shows him anything of hers.
   */
  @Test
  void oneUserShouldNotReadAnothersJob() throws Exception {
    cluster
        .user(KerberizedCluster.ALICE)
        .succeed(JOB, job("of-alice", "sailfish.keep.ifiles=10min"));
    byte[] secret = ClusterSecret.read("secret", user.secret());
    List<InetSocketAddress> metaserver = List.of(cluster.metaserverAddress());
    try (MetaserverClient operator =
        MetaserverClient.connect(metaserver, "test", Credentials.ofCluster(secret), CALL)) {
      JobSummary hers = jobOf(KerberizedCluster.ALICE, operator);
      ChunkDescription chunk = operator.describeJob(hers.getJob(), -1).getChunks(0);
      try (ChunkserverClient reader = connect(chunk, Credentials.ofCluster(secret))) {
        assertThat(reader.read(hers.getJob(), chunk.getChunk(), 0, HEADER)).hasSize(HEADER);
      }
      // Her application has ended, so jobs of that name end whenever the metaserver looks.
      AtomicInteger tries = new AtomicInteger();
      await()
          .atMost(JOB)
          .ignoreExceptionsMatching(KerberosTest::hasEnded)
          .untilAsserted(
              () -> {
                Credentials his = bobsTask(hers.getJob(), tries.incrementAndGet(), secret);
                assertBobSeesNothing(his, hers, chunk, operator);
              });
      operator.dropKept(hers.getJob());
    }
  }

  private static boolean hasEnded(Throwable thrown) {
    return thrown instanceof RemoteException e && e.status() == Status.JOB_UNKNOWN;
  }

  private static void assertBobSeesNothing(
      Credentials his, JobSummary hers, ChunkDescription chunk, MetaserverClient operator)
      throws IOException {
    List<InetSocketAddress> metaserver = List.of(cluster.metaserverAddress());
    try (MetaserverClient bob = MetaserverClient.connect(metaserver, "bob", his, CALL)) {
      // The first one of the name has it as its id.
      CreateIfilesRequest own = ownJob(his.jobId(hers.getJob()));
      bob.createIfiles(own);
      assertThat(jobOf(KerberizedCluster.BOB, operator).getJob())
          .isEqualTo(own.getJob())
          .isNotEqualTo(hers.getJob());
      assertForbidden(() -> bob.describeJob(hers.getJob(), -1));
      assertForbidden(() -> bob.accessKey(hers.getJob()));
      assertForbidden(() -> bob.dropKept(hers.getJob()));
      assertForbidden(() -> bob.deleteJob(hers.getJob()));
      assertForbidden(bob::listJobs);
    }
    try (ChunkserverClient bob = connect(chunk, his)) {
      assertForbidden(() -> bob.read(hers.getJob(), chunk.getChunk(), 0, HEADER));
      assertForbidden(() -> bob.listChunks(hers.getJob()));
    }
  }

  private static JobSummary jobOf(String owner, MetaserverClient operator) throws IOException {
    return operator.listJobs().getJobsList().stream()
        .filter(job -> job.getUser().equals(owner))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no job of " + owner));
  }

  private static ChunkserverClient connect(ChunkDescription chunk, Credentials credentials)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(chunk.getHost(), chunk.getPort());
    return ChunkserverClient.connect(address, "test", credentials, CALL);
  }

  /** What a task of his has that takes the name of her job. */
  private static Credentials bobsTask(String job, int number, byte[] secret) throws Exception {
    List<InetSocketAddress> metaserver = List.of(cluster.metaserverAddress());
    DelegationTokenRequest request =
        new DelegationTokenRequest(
            IfileService.GET_DELEGATION_TOKEN, "bob", cluster.metaserver(), "", "");
    Issued token =
        Subject.doAs(
            cluster.login(KerberizedCluster.BOB),
            (PrivilegedExceptionAction<Issued>)
                () -> request.ask(Network.SOCKETS, metaserver, CALL));
    return Credentials.ofJob(job, ("of bob's job " + number).getBytes(UTF_8))
        .introducedTo(ServerKey.of(secret).publicText(), "test.key")
        .with(new DelegationEvidence(token.identifier(), token.password()));
  }

  private static CreateIfilesRequest ownJob(String id) {
    return CreateIfilesRequest.newBuilder()
        .setJob(id)
        .setPartitions(1)
        .setOrdering(Ordering.NORMALIZED.code())
        .setCodec(CodecId.NONE.code())
        .setUser(KerberizedCluster.ALICE)
        .build();
  }

  private static void assertForbidden(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class, e -> assertThat(e.status()).isEqualTo(Status.FORBIDDEN));
  }

  @Test
  void whoHasNoTicketShouldNotGetAJob() throws Exception {
    Result result = cluster.stranger().run(JOB, List.of(job("nothing")));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output()).containsIgnoringCase("kerberos");
  }
}
