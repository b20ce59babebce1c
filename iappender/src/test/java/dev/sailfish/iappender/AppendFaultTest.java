package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.iappender.FakeCluster.Fault;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Seeded
@Timeout(120)
class AppendFaultTest {
  private static final KeyOrder TEXT = KeyOrder.normalized(KeyEncoding.TEXT);
  private static final Duration SHORT = Duration.ofMillis(1200);
  private static final Duration LONG = Duration.ofSeconds(60);

  /** Of which a server that does not answer may use up two seconds. */
  private static final Duration MIDDLE = Duration.ofSeconds(10);

  /** Sends many small blocks while the script interferes, and checks that nothing is missing. */
  private static Iappender appendAndVerify(
      FakeCluster cluster, SplittableRandom random, int records, Duration deadline)
      throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 5, TEXT, CodecId.LZ4);
    try (Iappender appender = Iappender.open(Configs.small(cluster, deadline), spec, 7, 1)) {
      Emitted emitted = new Emitted(TEXT);
      append(appender, emitted, random, records);
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
      return appender;
    }
  }

  private static void append(
      Iappender appender, Emitted emitted, SplittableRandom random, int records)
      throws IOException {
    for (int i = 0; i < records; i++) {
      byte[] key = Keys.random(random, KeyEncoding.TEXT, 20);
      byte[] value = TestBytes.compressible(random, random.nextInt(400), 0.5);
      emitted.append(appender, random.nextInt(5), key, value);
    }
  }

  /** Does {@code fault} to the append of each of these ordinals. */
  private static FakeCluster.Script at(Fault fault, Integer... ordinals) {
    int[] count = {0};
    Set<Integer> wanted = Set.of(ordinals);
    return (server, block) -> wanted.contains(count[0]++) ? fault : Fault.NONE;
  }

  @RepeatedTest(25)
  void everyRecordIsThereOnceWhateverGoesWrong(Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    SplittableRandom faults = seed.derive("faults").splittable();
    int percent = 1 + faults.nextInt(30);
    FakeCluster.Script script =
        (server, block) -> {
          if (faults.nextInt(100) >= percent) {
            return faults.nextBoolean() ? Fault.NONE : Fault.LATE;
          }
          return switch (faults.nextInt(8)) {
            case 0 -> Fault.CUT_BEFORE;
            case 1 -> Fault.CUT_AFTER;
            case 2 -> Fault.refuse(Status.CHUNK_FULL);
            case 3 -> Fault.refuse(Status.BUSY);
            case 4 -> Fault.refuse(Status.CORRUPT);
            case 5 -> Fault.storeAndRefuse(Status.DEADLINE);
            case 6 -> Fault.storeAndRefuse(Status.INTERNAL);
            default -> Fault.refuse(Status.NO_SPACE);
          };
        };
    int servers = 1 + random.nextInt(4);
    try (FakeCluster cluster = new FakeCluster(servers, 20_000, script)) {
      appendAndVerify(cluster, random, 2000, LONG);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"CHUNK_FULL", "BUSY", "NO_SPACE", "DEADLINE", "INTERNAL", "CORRUPT"})
  void whatMaySucceedLaterIsSentAgain(Status status, SplittableRandom random) throws IOException {
    try (FakeCluster cluster =
        new FakeCluster(2, 1 << 20, at(Fault.refuse(status), 0, 1, 2, 5, 6, 40))) {
      Iappender appender = appendAndVerify(cluster, random, 500, LONG);
      // A chunk that is full also refuses what was sent behind.
      assertThat(appender.resent()).isGreaterThanOrEqualTo(6);
    }
  }

  @Test
  void aBlockWhoseAckIsLostIsSentAgainAndCountsOnce(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = new FakeCluster(1, 1 << 20, at(Fault.ACK_LOST, 3))) {
      Iappender appender = appendAndVerify(cluster, random, 200, MIDDLE);
      assertThat(appender.resent()).isPositive();
    }
  }

  @Test
  void whatWasSentToAFullChunkGoesToTheNextInOrder(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = new FakeCluster(1, 6_000, (server, block) -> Fault.LATE)) {
      appendAndVerify(cluster, random, 2000, LONG);
      for (FakeCluster.Chunk chunk : cluster.chunks().values()) {
        assertThat(chunk.blocks).extracting(block -> block.header().sequence()).isSorted();
      }
    }
  }

  @Test
  void aServerThatIsGoneIsLeftForAnother(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy()) {
      IfileSpec spec = new IfileSpec("job_1", 5, TEXT, CodecId.NONE);
      try (Iappender appender = Iappender.open(Configs.small(cluster, LONG), spec, 7, 1)) {
        Emitted emitted = new Emitted(TEXT);
        append(appender, emitted, random, 300);
        // What it acknowledged stays readable here; a real one would report its chunks lost.
        cluster.stop(0);
        append(appender, emitted, random, 300);
        emitted.verify(cluster, appender.commit(), appender.rawBytes());
      }
      assertThat(cluster.chunks().values())
          .filteredOn(chunk -> !chunk.blocks.isEmpty())
          .extracting(chunk -> chunk.server)
          .contains(1);
    }
  }

  @Test
  void aMetaserverThatIsBusyIsAskedAgain(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy()) {
      cluster.refuseBinds(Status.BUSY, Status.NO_SPACE, Status.INTERNAL);
      appendAndVerify(cluster, random, 100, LONG);
      assertThat(cluster.binds()).isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void anUnknownJobFailsAtOnce(SplittableRandom random) throws IOException {
    try (FakeCluster cluster =
        new FakeCluster(1, 1 << 20, (server, block) -> Fault.refuse(Status.JOB_UNKNOWN))) {
      assertThatThrownBy(() -> appendAndVerify(cluster, random, 300, LONG))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the job is not known any more")
          .hasMessageContaining("job=job_1 map=7 attempt=1");
      assertThat(cluster.aborts()).isEqualTo(1);
    }
    try (FakeCluster cluster = FakeCluster.healthy()) {
      cluster.refuseBinds(Status.JOB_UNKNOWN);
      assertThatThrownBy(() -> appendAndVerify(cluster, random, 300, LONG))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the job is not known any more");
    }
  }

  @Test
  void aLostChunkWithBlocksOfTheAttemptFailsIt(SplittableRandom random) throws IOException {
    try (FakeCluster cluster =
        new FakeCluster(1, 1 << 20, at(Fault.refuse(Status.CHUNK_LOST), 60))) {
      assertThatThrownBy(() -> appendAndVerify(cluster, random, 1000, LONG))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("lost with blocks of this attempt");
    }
    try (FakeCluster cluster =
        new FakeCluster(1, 1 << 20, at(Fault.refuse(Status.CHUNK_LOST), 0))) {
      appendAndVerify(cluster, random, 1000, LONG);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"CHUNK_FULL", "BUSY", "NO_SPACE", "CORRUPT"})
  void aBlockThatIsRefusedForTooLongFailsTheAttempt(Status status, SplittableRandom random)
      throws IOException {
    try (FakeCluster cluster =
        new FakeCluster(2, 1 << 20, (server, block) -> Fault.refuse(status))) {
      assertThatThrownBy(() -> appendAndVerify(cluster, random, 100, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("job=job_1 map=7 attempt=1 partition=")
          .hasMessageContaining("chunk=")
          .hasMessageContaining("server=server-")
          .hasMessageContaining(status.name());
    }
  }

  @Test
  void serversThatNeverAnswerFailTheAttempt(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = new FakeCluster(2, 1 << 20, (server, block) -> Fault.ACK_LOST)) {
      assertThatThrownBy(() -> appendAndVerify(cluster, random, 100, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("deadline_ms=1200");
    }
  }

  @Test
  void aFailedAppendCannotBeCommittedLater(SplittableRandom random) throws IOException {
    try (FakeCluster cluster =
        new FakeCluster(1, 1 << 20, at(Fault.refuse(Status.BAD_REQUEST), 2))) {
      IfileSpec spec = new IfileSpec("job_1", 5, TEXT, CodecId.NONE);
      try (Iappender appender = Iappender.open(Configs.small(cluster, LONG), spec, 7, 1)) {
        assertThatThrownBy(() -> append(appender, new Emitted(TEXT), random, 1000))
            .hasMessageContaining("refuses it for good");
        assertThatThrownBy(appender::commit).hasMessageContaining("records are missing");
      }
      assertThat(cluster.manifest()).isNull();
      assertThat(cluster.aborts()).isEqualTo(1);
    }
  }

  @Test
  void anInterruptEndsTheWait(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = new FakeCluster(1, 1 << 20, (server, block) -> Fault.ACK_LOST)) {
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread task =
          new Thread(
              () -> {
                try {
                  appendAndVerify(cluster, random, 300, LONG);
                } catch (IOException e) {
                  thrown.set(e);
                }
              });
      task.start();
      Awaitility.await().atMost(LONG).until(() -> cluster.appends() > 5);
      task.interrupt();
      Awaitility.await().atMost(LONG).until(() -> !task.isAlive());
      assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class);
    }
  }

  @Test
  void ackTimingDoesNotChangeBlocks(Seed seed) throws IOException {
    for (CodecId codec : new CodecId[] {CodecId.NONE, CodecId.LZ4}) {
      var quick = blocksOf(seed, codec, (server, block) -> Fault.NONE);
      SplittableRandom timing = seed.derive("timing").splittable();
      var slow =
          blocksOf(
              seed,
              codec,
              (server, block) ->
                  timing.nextInt(20) == 0
                      ? Fault.refuse(Status.BUSY)
                      : timing.nextInt(3) == 0 ? Fault.NONE : Fault.LATE);
      assertThat(slow).isEqualTo(quick);
    }
  }

  /** All blocks of one input, as text. */
  private static String blocksOf(Seed seed, CodecId codec, FakeCluster.Script script)
      throws IOException {
    SplittableRandom random = seed.splittable();
    IfileSpec spec = new IfileSpec("job_1", 300, TEXT, codec);
    try (FakeCluster cluster = new FakeCluster(2, 100_000, script);
        Iappender appender =
            Iappender.open(
                new IappenderConfig(
                    cluster.metaserver(), "localhost", "me", 1 << 20, 0, 1 << 16, LONG, 0),
                spec,
                0,
                0)) {
      for (int i = 0; i < 30_000; i++) {
        byte[] key = Keys.random(random, KeyEncoding.TEXT, 20);
        byte[] value = TestBytes.compressible(random, TestBytes.skewedLength(random, 9000), 0.5);
        int partition = Math.min(random.nextInt(300), random.nextInt(300));
        appender.append(partition, key, 0, key.length, value, 0, value.length);
      }
      appender.commit();
      StringBuilder text = new StringBuilder();
      Emitted.blocks(cluster)
          .values()
          .forEach(blocks -> blocks.forEach(block -> text.append(block.header()).append('\n')));
      return text.toString();
    }
  }
}
