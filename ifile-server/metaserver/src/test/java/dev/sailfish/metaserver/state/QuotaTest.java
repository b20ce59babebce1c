package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.job;
import static dev.sailfish.metaserver.state.CoreFixture.report;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.BindRequest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user's jobs may take together. */
class QuotaTest {
  private static final String RACK = CoreFixture.RACK;

  private final Metrics<MetaserverMetric> metrics = new Metrics<>(MetaserverMetric.class);
  private final MetaserverState state = new MetaserverState(1000, 10_000, metrics);

  @BeforeEach
  void start() throws RequestRefusedException {
    state.ledBy(
        Lead.newBuilder()
            .setWallMs(1_000_000)
            .setChunkBytes(1 << 20)
            .setReservationBytes(1 << 20)
            .setLeaseMs(1000)
            .setUserMaxBytes(300)
            .setUserMaxIfiles(10)
            .build());
    state.beginLeading(0);
    state.desk().register(CoreFixture.server("s1").build(), RACK, false, 0);
  }

  private void create(String job, String user, int partitions) throws RequestRefusedException {
    state.createIfiles(job(job, partitions).setUser(user).build(), 1);
  }

  private long bind(String job, int map, int partition) throws RequestRefusedException {
    BindRequest request =
        BindRequest.newBuilder()
            .setJob(job)
            .setMap(map)
            .addTargets(CoreFixture.target(partition))
            .build();
    return state.bind(request, RACK, 1).getBindings(0).getChunk();
  }

  /** The server says that a chunk takes so many bytes. */
  private void stored(String job, long chunk, ChunkState chunkState, long bytes)
      throws RequestRefusedException {
    state
        .desk()
        .report(
            Reports.newBuilder()
                .setServerId("s1")
                .addChunks(report(job, chunk, 0, chunkState).toBuilder().setStoredBytes(bytes))
                .build(),
            1);
  }

  private void delete(String job) {
    state.deleteJob(job, MetaserverMetric.JOBS_DELETED, "test", 1);
  }

  @Test
  void refusesAJobThatNeedsMoreIfilesThanAreLeft() throws RequestRefusedException {
    create("job_1_1", "ann", 4);
    create("job_1_2", "ann", 4);
    assertRefused(
        Status.OVER_QUOTA,
        "user=ann I-files used=8 requested=3 limit=10 (sailfish.metaserver.user.max.ifiles)"
            + " live jobs=2; try again when some of them have ended, or have the limit raised:"
            + " job=job_1_3",
        () -> create("job_1_3", "ann", 3));
    assertThat(metrics.get(MetaserverMetric.QUOTA_REFUSALS)).isEqualTo(1);
    assertThat(state.jobs().names()).containsExactly("job_1_1", "job_1_2");
    create("job_1_4", "ann", 2);
    create("job_1_5", "bob", 10);
  }

  @Test
  void aJobThatIsThereIsNotRefusedAgain() throws RequestRefusedException {
    create("job_1_1", "ann", 10);
    create("job_1_1", "ann", 10);
    assertThat(metrics.get(MetaserverMetric.QUOTA_REFUSALS)).isZero();
  }

  @Test
  void ifilesComeBackWhenAJobEnds() throws RequestRefusedException {
    create("job_1_1", "ann", 10);
    assertRefused(Status.OVER_QUOTA, "used=10", () -> create("job_1_2", "ann", 1));
    delete("job_1_1");
    create("job_1_2", "ann", 10);
  }

  @Test
  void refusesAppendersOfAUserWhoseChunksTakeTooMuch() throws RequestRefusedException {
    create("job_1_1", "ann", 1);
    create("job_1_2", "ann", 1);
    create("job_2_1", "bob", 1);
    stored("job_1_1", bind("job_1_1", 0, 0), ChunkState.OPEN, 299);
    long second = bind("job_1_2", 0, 0);
    stored("job_1_2", second, ChunkState.OPEN, 1);
    assertRefused(
        Status.OVER_QUOTA,
        "user=ann stored bytes used=300 limit=300 (sailfish.metaserver.user.max.size)"
            + " live jobs=2;",
        () -> bind("job_1_1", 1, 0));
    assertRefused(Status.OVER_QUOTA, "job=job_1_3", () -> create("job_1_3", "ann", 1));
    bind("job_2_1", 0, 0);
    delete("job_1_1");
    bind("job_1_2", 1, 0);
  }

  @Test
  void bytesAreThoseThatAreStoredNow() throws RequestRefusedException {
    create("job_1_1", "ann", 1);
    long chunk = bind("job_1_1", 0, 0);
    stored("job_1_1", chunk, ChunkState.OPEN, 1000);
    assertRefused(Status.OVER_QUOTA, "used=1000", () -> bind("job_1_1", 1, 0));
    stored("job_1_1", chunk, ChunkState.SORTED, 200);
    long other = bind("job_1_1", 1, 0);
    stored("job_1_1", chunk, ChunkState.OPEN, 1000);
    stored("job_1_1", other, ChunkState.OPEN, 90);
    assertThat(state.users()).containsEntry("ann", new UserQuota.Usage("ann", 1, 0, 1, 290));
    stored("job_1_1", chunk, ChunkState.LOST, 200);
    assertThat(state.users()).containsEntry("ann", new UserQuota.Usage("ann", 1, 0, 1, 90));
    CoreFixture.tick(state, 5000);
    assertThat(state.users()).as("the lease ran out").isEmpty();
  }

  @Test
  void aServerThatSaysNonsenseDoesNotLowerTheUsage() throws RequestRefusedException {
    create("job_1_1", "ann", 1);
    stored("job_1_1", bind("job_1_1", 0, 0), ChunkState.OPEN, -5);
    assertThat(state.users()).containsEntry("ann", new UserQuota.Usage("ann", 1, 0, 1, 0));
  }

  /** Else a server that was fed with garbage would keep the entry for it for good. */
  @Test
  void aLostChunkThatNobodyKnowsIsDeleted() throws RequestRefusedException {
    create("job_1_1", "ann", 1);
    long known = bind("job_1_1", 0, 0);
    stored("job_1_1", known, ChunkState.LOST, 0);
    stored("job_1_1", known, ChunkState.LOST, 0);
    stored("job_6_6", 77, ChunkState.LOST, 0);
    assertThat(state.desk().takeCommands("s1").getDeleteChunksList()).containsExactly(77L);
  }

  @Test
  void withoutLimitsNobodyIsRefused() throws RequestRefusedException {
    CoreFixture core = new CoreFixture();
    core.register("s1", RACK);
    core.create("job_1_1", 1_000_000);
    core.bind("job_1_1", 0, 0);
    assertThat(core.state.users())
        .containsEntry("ann", new UserQuota.Usage("ann", 1, 0, 1_000_000, ChunkInfo.FIRST_BYTES));
  }

  /** Else a user binds to one chunk after the other before the first heartbeat says anything. */
  @Test
  void chunksCountBeforeTheirServersReportThem() throws RequestRefusedException {
    create("job_1_1", "ann", 2);
    long chunk = bind("job_1_1", 0, 0);
    assertRefused(Status.OVER_QUOTA, "used=1048576 limit=300", () -> bind("job_1_1", 0, 1));
    stored("job_1_1", chunk, ChunkState.OPEN, 200);
    bind("job_1_1", 0, 1);
  }

  @Test
  void aFullChunkCountsWithItsCapacityUntilItsServerSaysWhatItTakes()
      throws RequestRefusedException {
    create("job_1_1", "ann", 1);
    long chunk = bind("job_1_1", 0, 0);
    stored("job_1_1", chunk, ChunkState.OPEN, 10);
    BindRequest.Builder full = BindRequest.newBuilder().setJob("job_1_1");
    full.addTargets(CoreFixture.target(0).setPreviousChunk(chunk).setPreviousFull(true));
    state.bind(full.build(), RACK, 1);
    assertRefused(Status.OVER_QUOTA, "used=2097152", () -> bind("job_1_1", 1, 0));
    stored("job_1_1", chunk, ChunkState.STABLE, 20);
    assertRefused(Status.OVER_QUOTA, "used=1048596", () -> bind("job_1_1", 1, 0));
  }

  @Test
  void refusesAUserWithTooLongAName() {
    assertRefused(
        Status.BAD_REQUEST,
        "characters=256 limit=255",
        () -> create("job_1_1", "u".repeat(256), 1));
  }

  @Test
  void everyStatusHasACodeOfItsOwn() {
    Set<Integer> codes = new HashSet<>();
    for (Status status : Status.values()) {
      assertThat(codes.add(status.code()))
          .as("%s among %s", status, Arrays.asList(Status.values()))
          .isTrue();
      assertThat(Status.ofCode(status.code())).isEqualTo(status);
    }
  }
}
