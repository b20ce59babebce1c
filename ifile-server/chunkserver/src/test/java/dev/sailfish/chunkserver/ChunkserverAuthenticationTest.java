package dev.sailfish.chunkserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.server.ServerMetric;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what at a chunkserver, with a real metaserver that knows the keys. */
@Seeded
class ChunkserverAuthenticationTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String JOB = "job_8_0001";
  private static final String OTHER = "job_8_0002";

  @TempDir private Path directory;
  private Path secretFile;
  private Credentials task;
  private Credentials otherTask;
  private Metaserver metaserver;
  private TestServer server;

  private static Credentials credentials(String job, String secret) {
    return Credentials.ofJob(job, secret.getBytes(StandardCharsets.US_ASCII));
  }

  @BeforeEach
  void start() throws IOException {
    secretFile = directory.resolve("secret");
    ClusterSecret.create(secretFile);
    byte[] secret = ClusterSecret.read("secret", secretFile);
    task = credentials(JOB, "one").admittedBy(secret, "tester");
    otherTask = credentials(OTHER, "two").admittedBy(secret, "tester");
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    "sailfish.metaserver.host", "127.0.0.1",
                    "sailfish.metaserver.port", "0",
                    "sailfish.metaserver.web.port", "0",
                    "sailfish.metaserver.journal.dir", "none",
                    "sailfish.metaserver.cluster.secret.file", secretFile.toString())));
    server = startChunkserver(secretFile.toString(), "server");
    server.awaitHeartbeats();
  }

  private TestServer startChunkserver(String secret, String name) throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("metaserver.address", "127.0.0.1:" + metaserver.port());
    settings.put("authentication", secret.equals("none") ? "none" : "secret");
    settings.put("cluster.secret.file", secret.equals("none") ? "" : secret);
    settings.put("data.dirs", directory.resolve(name + "-disk") + ":capacity=1g");
    return new TestServer(directory.resolve(name), settings);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    metaserver.close();
  }

  private Credentials cluster() throws IOException {
    return Credentials.ofCluster(ClusterSecret.read("secret", secretFile));
  }

  private MetaserverClient meta(Credentials credentials) throws IOException {
    return MetaserverClient.connect(
        new InetSocketAddress("127.0.0.1", metaserver.port()), "test", credentials, DEADLINE);
  }

  private ChunkserverClient connect(Credentials credentials) throws IOException {
    return ChunkserverClient.connect(server.address(), "test", credentials, DEADLINE);
  }

  /** Creates a job and returns a chunk that its appender is bound to. */
  private long bind(String job, Credentials credentials) throws IOException {
    try (MetaserverClient meta = meta(credentials)) {
      meta.createIfiles(
          CreateIfilesRequest.newBuilder()
              .setJob(job)
              .setPartitions(2)
              .setOrdering(Ordering.NORMALIZED.code())
              .setCodec(CodecId.NONE.code())
              .setUser("tester")
              .build());
      return meta.bind(
              BindRequest.newBuilder()
                  .setJob(job)
                  .setHost("127.0.0.1")
                  .addTargets(BindTarget.newBuilder().setPartition(1))
                  .build())
          .getBindings(0)
          .getChunk();
    }
  }

  private static TestIfile ifile(String job) {
    return new TestIfile(job, 1, Ordering.NORMALIZED, CodecId.NONE, 1 << 20);
  }

  private static TestBlock block(SplittableRandom random) {
    return TestBlock.random(random, new TestBlock.Source(1, 0, 0, 0), CodecId.NONE, 5000);
  }

  private static void assertRefused(Status status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RemoteException.class,
            e -> assertThat(e.status()).as(e.getMessage()).isEqualTo(status));
  }

  private long count(String label) {
    return server.server().metrics().get(label);
  }

  @Test
  void learnsTheKeyOfAJobWhenItsFirstTaskComes(SplittableRandom random) throws IOException {
    long chunk = bind(JOB, task);
    TestBlock block = block(random);
    try (ChunkserverClient first = connect(task);
        ChunkserverClient second = connect(task);
        ChunkserverClient tool = connect(cluster())) {
      assertThat(ifile(JOB).append(first, chunk, block)).isNull();
      ifile(JOB).assertHolds(second, chunk, List.of(block));
      ifile(JOB).assertHolds(tool, chunk, List.of(block));
      assertThat(tool.status().getServer()).contains(server.server().id());
      assertThat(tool.listChunks("").getChunksCount()).isEqualTo(1);
      assertThat(second.listChunks(JOB).getChunksCount()).isEqualTo(1);
    }
    assertThat(count(ServerMetric.UNAUTHENTICATED.fullName())).isZero();
    assertThat(count(ServerMetric.FORBIDDEN.fullName())).isZero();
  }

  @Test
  void refusesStrangers() throws IOException {
    bind(JOB, task);
    assertRefused(Status.UNAUTHENTICATED, () -> connect(credentials(JOB, "another")));
    byte[] secret = ClusterSecret.read("secret", secretFile);
    Credentials notAsked = credentials(JOB, "one").admittedBy(secret, "tester");
    assertRefused(Status.UNAUTHENTICATED, () -> connect(notAsked));
    assertRefused(Status.UNAUTHENTICATED, () -> connect(Credentials.none()));
    assertRefused(Status.UNAUTHENTICATED, () -> connect(Credentials.ofCluster(new byte[] {1})));
    assertThat(server.server().metrics()).containsEntry(ServerMetric.FORBIDDEN.fullName(), 0L);
    assertRefused(Status.UNAUTHENTICATED, () -> connect(credentials("../x", "x")));
  }

  @Test
  void keepsOneJobAwayFromAnothersData(SplittableRandom random) throws IOException {
    long chunk = bind(JOB, task);
    bind(OTHER, otherTask);
    TestBlock block = block(random);
    TestBlock stranger =
        TestBlock.random(random, new TestBlock.Source(1, 7, 0, 0), CodecId.NONE, 5000);
    try (ChunkserverClient reader = connect(task);
        ChunkserverClient other = connect(otherTask)) {
      assertThat(ifile(JOB).append(reader, chunk, block)).isNull();
      assertThat(ifile(JOB).append(other, chunk, stranger)).isEqualTo(Status.FORBIDDEN);
      assertThat(ifile(OTHER).append(other, chunk, stranger)).isEqualTo(Status.CHUNK_FULL);
      for (String named : List.of(JOB, OTHER)) {
        assertRefused(
            Status.FORBIDDEN, () -> other.awaitSorted(named, chunk, 1000, TestIfile.DEADLINE));
        assertRefused(Status.FORBIDDEN, () -> other.read(named, chunk, 0, 10));
        assertRefused(
            Status.FORBIDDEN, () -> other.summarizeIndex(named, List.of(chunk), 1000, false));
      }
      assertRefused(Status.FORBIDDEN, () -> other.listChunks(JOB));
      assertRefused(Status.FORBIDDEN, () -> other.listChunks(""));
      assertRefused(Status.FORBIDDEN, other::status);
      assertThat(other.listChunks(OTHER).getChunksList()).isEmpty();
      assertThat(count(ServerMetric.FORBIDDEN.fullName())).isEqualTo(10);
      assertThat(count(ChunkserverMetric.CHUNKS_OPEN.fullName())).isEqualTo(1);
      ifile(JOB).assertHolds(reader, chunk, List.of(block));
    }
  }

  @Test
  void forgetsTheKeyWhenTheJobEnds(SplittableRandom random) throws IOException {
    long chunk = bind(JOB, task);
    TestBlock block = block(random);
    try (ChunkserverClient reader = connect(task);
        MetaserverClient meta = meta(cluster())) {
      assertThat(ifile(JOB).append(reader, chunk, block)).isNull();
      meta.deleteJob(JOB);
      server.awaitCount(ChunkserverMetric.DELETED_JOBS, 1);
      await()
          .untilAsserted(
              () -> assertRefused(Status.JOB_UNKNOWN, () -> reader.read(JOB, chunk, 0, 10)));
      assertThat(ifile(JOB).append(reader, chunk, block)).isEqualTo(Status.JOB_UNKNOWN);
      assertRefused(Status.JOB_UNKNOWN, () -> connect(task));
    }
  }

  @Test
  void saysClearlyThatItsSecretIsNotTheMetaservers() throws IOException {
    Path another = directory.resolve("another");
    ClusterSecret.create(another);
    for (String secret : List.of(another.toString(), "none")) {
      try (TestServer wrong = startChunkserver(secret, "wrong-" + secret.length())) {
        RemoteException refusal =
            await()
                .atMost(DEADLINE)
                .until(() -> wrong.server().refused().getNow(null), found -> found != null);
        assertThat(refusal.status()).isEqualTo(Status.UNAUTHENTICATED);
        assertThat(refusal).hasMessageContaining("metaserver").hasMessageContaining("secret");
        assertThat(wrong.count(ChunkserverMetric.AUTHENTICATION_FAILURES)).isEqualTo(1);
        assertThat(wrong.count(ChunkserverMetric.HEARTBEAT_FAILURES)).isEqualTo(1);
      }
    }
    try (MetaserverClient meta = meta(cluster())) {
      assertThat(meta.status().getCountersMap())
          .containsEntry(MetaserverMetric.REGISTRATIONS.fullName(), 1L);
    }
    assertThat(server.server().refused()).isNotDone();
  }

  @Test
  void doesNotStartWithoutAnAnswerToWhoMayConnect() throws IOException {
    Files.setPosixFilePermissions(secretFile, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> startChunkserver(secretFile.toString(), "open"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sailfish.chunkserver.cluster.secret.file=" + secretFile);
    Map<String, String> nothing = new HashMap<>(Map.of("authentication", ""));
    assertThatThrownBy(() -> new TestServer(directory.resolve("nothing"), nothing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sailfish.chunkserver.authentication=none");
  }

  /** What is held is for the server's user alone, whatever the process's file mode mask is. */
  @Test
  void keepsItsFilesToItself(SplittableRandom random) throws IOException {
    long chunk = bind(JOB, task);
    try (ChunkserverClient reader = connect(task)) {
      assertThat(ifile(JOB).append(reader, chunk, block(random))).isNull();
      reader.awaitSorted(JOB, chunk, 1000, TestIfile.DEADLINE);
    }
    for (Path root :
        List.of(directory.resolve("server/memory"), directory.resolve("server-disk"))) {
      try (Stream<Path> files = Files.walk(root)) {
        List<Path> all = files.filter(file -> !file.endsWith("chunkserver-id")).toList();
        assertThat(all).hasSizeGreaterThan(2);
        for (Path file : all) {
          String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
          assertThat(mode).as("%s", file).endsWith("------");
        }
      }
    }
  }
}
