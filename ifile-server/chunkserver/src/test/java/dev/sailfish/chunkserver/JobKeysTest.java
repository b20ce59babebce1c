package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a chunkserver learns keys, with a metaserver that is there, late, or not there at all. */
class JobKeysTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final byte[] TASK_SECRET = {1, 2, 3};
  private static final String JOB = "job_1";

  @TempDir private Path directory;
  private Path secretFile;
  private byte[] secret;
  private Socket reserved;
  private int port;
  private JobKeys keys;

  /** An answer, as text. */
  private static final class Answer implements Authenticator.Answer {
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private volatile Principal principal;

    @Override
    public void found(Principal found, byte[] unused) {
      principal = found;
      text.complete("found " + found.name());
    }

    @Override
    public void introduce() {
      text.complete("introduce");
    }

    @Override
    public void refused(Status status, String message) {
      text.complete(status + " " + message);
    }

    String await() {
      return Awaitility.await()
          .atMost(DEADLINE)
          .until(() -> text.getNow(null), found -> found != null);
    }
  }

  @BeforeEach
  void start() throws IOException {
    secretFile = directory.resolve("secret");
    ClusterSecret.create(secretFile);
    secret = ClusterSecret.read("secret", secretFile);
    // Holds a port on which nobody listens.
    reserved = new Socket();
    reserved.bind(new InetSocketAddress("127.0.0.1", 0));
    port = reserved.getLocalPort();
  }

  private void start(Duration deadline) {
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", port);
    keys =
        new JobKeys(
            secret,
            new MetaserverClient(
                Network.SOCKETS, List.of(address), "test", Credentials.ofCluster(secret), DEADLINE),
            deadline);
    keys.start();
  }

  @AfterEach
  void stop() throws IOException {
    keys.close();
    reserved.close();
  }

  private Metaserver startMetaserver() throws IOException {
    reserved.close();
    return Metaserver.start(
        MetaserverConfig.of(
            Map.of(
                "sailfish.metaserver.host",
                "127.0.0.1",
                "sailfish.metaserver.port",
                Integer.toString(port),
                "sailfish.metaserver.web.port",
                "0",
                "sailfish.metaserver.journal.dir",
                "none",
                "sailfish.metaserver.cluster.secret.file",
                secretFile.toString())));
  }

  /** As the job's first task does. */
  private Credentials introduce() throws IOException {
    Credentials task = Credentials.ofJob(JOB, TASK_SECRET).admittedBy(secret, "ann");
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
    MetaserverClient.connect(address, "test", task, DEADLINE).close();
    return task;
  }

  private Answer find(String name) {
    Answer answer = new Answer();
    keys.find(name, new byte[0], answer);
    return answer;
  }

  @Test
  void asksOnceForAllWhoWait() throws IOException {
    start(DEADLINE);
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(find("job " + JOB));
    }
    assertThat(answers).noneMatch(answer -> answer.text.isDone());
    assertThat(find(Handshake.CLUSTER).await()).isEqualTo("found cluster");
    keys.forget("job_2");
    try (Metaserver late = startMetaserver()) {
      // Nobody has introduced the job yet.
      assertThat(answers.get(0).await()).startsWith("JOB_UNKNOWN");
      Credentials task = introduce();
      Answer known = find("job " + JOB);
      assertThat(known.await()).isEqualTo("found job job_1");
      assertThat(Handshake.dataKey(known.principal.copyOfKey(), JOB)).isEqualTo(task.dataKey());
      assertThat(late.port()).isEqualTo(port);
    }
    assertThat(answers).allMatch(answer -> answer.await().startsWith("JOB_UNKNOWN"));
    // What is known needs no metaserver any more.
    assertThat(find("job " + JOB).await()).isEqualTo("found job job_1");
    assertThat(keys.size()).isEqualTo(1);
  }

  @Test
  void saysInTimeThatTheMetaserverIsNotThere() {
    start(Duration.ofMillis(200));
    assertThat(find("job " + JOB).await())
        .startsWith("BUSY the metaserver cannot be asked for the key of job=job_1 in 200 ms");
  }

  @Test
  void answersWhoWaitsWhenTheJobEndsOrTheServerCloses() {
    start(DEADLINE);
    Answer ended = find("job " + JOB);
    Answer closed = find("job job_2");
    keys.forget(JOB);
    assertThat(ended.await()).startsWith("JOB_UNKNOWN job=job_1 has ended");
    keys.close();
    assertThat(closed.await()).startsWith("BUSY");
    assertThat(find("job job_3").await()).startsWith("BUSY");
  }

  @Test
  void forgetsAKeyAndEndsWhatUsesIt() throws IOException {
    start(DEADLINE);
    try (Metaserver metaserver = startMetaserver()) {
      introduce();
      Answer answer = find("job " + JOB);
      assertThat(answer.await()).startsWith("found");
      assertThat(metaserver.port()).isEqualTo(port);
      keys.forget(JOB);
      assertThat(keys.size()).isZero();
      assertThatThrownBy(() -> answer.principal.requireJob(JOB)).hasMessageContaining("has ended");
    }
  }

  /** The metaserver's word that a job has ended does not always reach a chunkserver. */
  @Test
  void asksAgainForKeysOfJobsThatMayHaveEnded() throws IOException {
    start(DEADLINE);
    try (Metaserver metaserver = startMetaserver()) {
      createJob(metaserver, introduce());
      Answer before = find("job " + JOB);
      assertThat(before.await()).startsWith("found");
      renew();
      Answer same = find("job " + JOB);
      assertThat(same.await()).startsWith("found");
      assertThat(same.principal).isSameAs(before.principal);
      deleteJob(metaserver);
      assertThat(find("job " + JOB).await()).startsWith("found");
      renew();
      assertThat(keys.size()).isZero();
      assertThatThrownBy(() -> before.principal.requireJob(JOB)).hasMessageContaining("has ended");
      assertThat(find("job " + JOB).await()).startsWith("JOB_UNKNOWN");
    }
  }

  @Test
  void learnsTheKeyOfAnotherJobOfTheSameName() throws IOException {
    start(DEADLINE);
    Answer before;
    try (Metaserver metaserver = startMetaserver()) {
      assertThat(metaserver.port()).isEqualTo(port);
      introduce();
      before = find("job " + JOB);
      assertThat(before.await()).startsWith("found");
    }
    // Has no journal, so it knows nothing of the first job.
    try (Metaserver another = startMetaserver()) {
      assertThat(another.port()).isEqualTo(port);
      introduce();
      renew();
      Answer after = find("job " + JOB);
      assertThat(after.await()).startsWith("found");
      assertThat(after.principal.copyOfKey()).isNotEqualTo(before.principal.copyOfKey());
      assertThatThrownBy(() -> before.principal.requireJob(JOB)).hasMessageContaining("has ended");
    }
  }

  private void renew() {
    keys.renew();
    Awaitility.await().atMost(DEADLINE).until(() -> !keys.hasQuestions());
  }

  private static void createJob(Metaserver metaserver, Credentials task) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", metaserver.port());
    try (MetaserverClient client = MetaserverClient.connect(address, "test", task, DEADLINE)) {
      client.createIfiles(
          CreateIfilesRequest.newBuilder()
              .setJob(JOB)
              .setPartitions(1)
              .setOrdering(Ordering.NORMALIZED.code())
              .setCodec(CodecId.NONE.code())
              .setUser("ann")
              .build());
    }
  }

  private void deleteJob(Metaserver metaserver) throws IOException {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", metaserver.port());
    try (MetaserverClient cluster =
        MetaserverClient.connect(address, "test", Credentials.ofCluster(secret), DEADLINE)) {
      cluster.deleteJob(JOB);
    }
  }

  @Test
  void refusesNamesThatNoJobHas() {
    start(DEADLINE);
    for (String name : List.of("", "job", "job ", "job ../x", "root", "job " + "x".repeat(1000))) {
      assertThat(find(name).await()).as(name).startsWith("UNAUTHENTICATED");
    }
  }
}
