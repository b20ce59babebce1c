package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.job;
import static dev.sailfish.metaserver.state.CoreFixture.wrote;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that have ended and whose I-files are kept. */
class KeptJobsTest {
  private static final String JOB = "job_1_1";
  private static final long HOUR_MS = 3_600_000;
  private static final long MOST_MS = 24 * HOUR_MS;

  private final CoreFixture core = new CoreFixture();

  @BeforeEach
  void start() throws RequestRefusedException {
    keepAtMost(MOST_MS);
    core.register("s1", CoreFixture.RACK);
    core.heartbeat("s1");
  }

  private void keepAtMost(long ms) {
    core.state.ledBy(core.state.lead().toBuilder().setKeepMostMs(ms).build());
  }

  /** A job of two maps, the first of which has two attempts; the earlier one won. */
  private long write(String job, long keepMs) throws RequestRefusedException {
    core.state.createIfiles(job(job, 2).setKeepMs(keepMs).build(), core.nowMs);
    long chunk = core.bind(job, 0, 0).getChunk();
    core.commit(job, 0, 0, wrote(0, chunk));
    core.commit(job, 1, 0, wrote(0, chunk));
    core.commit(job, 0, 1, wrote(0, chunk));
    return chunk;
  }

  private JournalReply end(String job, EndJob.Cause cause) {
    return apply(EntryApplier.end(job, cause, "test"));
  }

  private JournalReply apply(JournalEntry.Builder entry) {
    return EntryApplier.apply(
        core.state, entry.setVersion(EntryApplier.VERSION).build(), core.nowMs);
  }

  /** What the leader's clock brings about for jobs. */
  private void applyDue() {
    ends(core.state, core.nowMs).forEach(this::apply);
  }

  private static List<JournalEntry.Builder> ends(MetaserverState state, long nowMs) {
    return state.due(nowMs).entries().stream().filter(JournalEntry.Builder::hasEnd).toList();
  }

  private DescribeJobResponse describe(String job) throws RequestRefusedException {
    return core.state.describeJob(
        DescribeJobRequest.newBuilder().setJob(job).setPartition(-1).setWinners(true).build(),
        core.nowMs);
  }

  private void assertGone(String job) throws RequestRefusedException {
    assertRefused(Status.JOB_UNKNOWN, "unknown", () -> describe(job));
    assertThat(core.commands("s1").getDeleteJobsList()).contains(job);
    assertRefused(Status.JOB_UNKNOWN, "job has ended", () -> core.create(job, 2));
  }

  @ParameterizedTest
  @EnumSource(names = {"ASKED", "LEASE", "APPLICATION"})
  void aJobThatAsksIsKeptHoweverItEnds(EndJob.Cause cause) throws RequestRefusedException {
    long chunk = write(JOB, HOUR_MS);
    end(JOB, cause);
    assertThat(core.state.jobs().names()).as("those whose application is watched").isEmpty();
    DescribeJobResponse kept = describe(JOB);
    assertThat(kept.getSummary().getKept()).isTrue();
    assertThat(kept.getSummary().getKeptLeftMs()).isEqualTo(HOUR_MS);
    assertThat(core.plan(JOB, 0, true, 0, 0, 1, 0).getChunks(0).getChunk()).isEqualTo(chunk);
    assertThat(core.commands("s1").getDeleteJobsList()).isEmpty();
    assertThat(core.state.gauges())
        .containsEntry(MetaserverMetric.JOBS, 0L)
        .containsEntry(MetaserverMetric.JOBS_KEPT, 1L)
        .containsEntry(MetaserverMetric.APPENDERS_BOUND, 0L);
    end(JOB, cause);
    assertThat(describe(JOB).getSummary().getKept()).as("ended twice").isTrue();
  }

  @Test
  void otherJobsGoAtOnce() throws RequestRefusedException {
    write(JOB, 0);
    end(JOB, EndJob.Cause.APPLICATION);
    assertGone(JOB);
    write("job_1_2", HOUR_MS);
    keepAtMost(0);
    end("job_1_2", EndJob.Cause.APPLICATION);
    assertGone("job_1_2");
  }

  @Test
  void nothingCanBeAdded() throws RequestRefusedException {
    long chunk = write(JOB, HOUR_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    assertThat(core.commands("s1").getCompleteJobsList()).as("sorted now").contains(JOB);
    String words = "can be read and dropped only: job=" + JOB;
    assertRefused(Status.JOB_UNKNOWN, words, () -> write(JOB, HOUR_MS));
    assertRefused(Status.JOB_UNKNOWN, words, () -> core.bind(JOB, 1, 1));
    assertRefused(Status.JOB_UNKNOWN, words, () -> core.commit(JOB, 2, 0, wrote(0, chunk)));
  }

  @Test
  void itGoesWhenItsTimeHasPassed() throws RequestRefusedException {
    write(JOB, HOUR_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    core.nowMs += HOUR_MS - 1;
    applyDue();
    assertThat(describe(JOB).getSummary().getKeptLeftMs()).as("longer than its lease").isOne();
    core.nowMs++;
    applyDue();
    assertGone(JOB);
    assertThat(core.metrics.get(MetaserverMetric.KEPT_EXPIRED)).isEqualTo(1);
  }

  @Test
  void theLeaderHasALimit() throws RequestRefusedException {
    write(JOB, 100 * MOST_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    assertThat(describe(JOB).getSummary().getKeptLeftMs()).isEqualTo(MOST_MS);
  }

  @Test
  void somebodyDropsIt() throws RequestRefusedException {
    assertThat(Status.ofCode(end(JOB, EndJob.Cause.KEPT_DROPPED).getStatus()))
        .isEqualTo(Status.JOB_UNKNOWN);
    write(JOB, HOUR_MS);
    JournalReply refused = end(JOB, EndJob.Cause.KEPT_DROPPED);
    assertThat(Status.ofCode(refused.getStatus())).isEqualTo(Status.CONFLICT);
    assertThat(refused.getMessage()).contains("job lives").contains(JOB);
    end(JOB, EndJob.Cause.APPLICATION);
    assertThat(end(JOB, EndJob.Cause.KEPT_DROPPED).getMessage()).isEmpty();
    assertGone(JOB);
    assertThat(core.metrics.get(MetaserverMetric.KEPT_DROPPED)).isEqualTo(1);
  }

  @Test
  void winnersAreThoseThatReduceTasksNamed() throws RequestRefusedException {
    write(JOB, HOUR_MS);
    assertThat(describe(JOB).getWinnersList())
        .as("those that committed last")
        .containsExactly(0, 1, 1, 0);
    core.plan(JOB, 0, false, 0, 0);
    assertThat(core.state.isNews(JOB, List.of(0, 0, 1, 0))).isTrue();
    core.plan(JOB, 0, true, 0, 0, 1, 0);
    assertThat(core.state.isNews(JOB, List.of(0, 0, 1, 0))).isFalse();
    end(JOB, EndJob.Cause.APPLICATION);
    core.plan(JOB, 0, true, 0, 1);
    assertThat(describe(JOB).getWinnersList()).containsExactly(0, 0, 1, 0);
    assertThat(core.state.jobs().find(JOB).winners()).hasSize(2);
    write("job_1_2", 0);
    assertThat(core.state.isNews("job_1_2", List.of(0, 0, 1, 0))).as("nobody asks").isFalse();
  }

  @Test
  void itCountsInItsUsersQuota() throws RequestRefusedException {
    core.state.ledBy(core.state.lead().toBuilder().setUserMaxIfiles(3).build());
    write(JOB, HOUR_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    assertThat(core.state.users().get("ann").kept()).isEqualTo(1);
    assertRefused(
        Status.OVER_QUOTA,
        "live jobs=0; try again when some of them have ended, or have the limit raised; drop some"
            + " of the jobs that have ended and are kept=1: job=job_1_2",
        () -> write("job_1_2", 0));
    end(JOB, EndJob.Cause.KEPT_DROPPED);
    write("job_1_2", 0);
  }

  private void hear(String server, long usedBytes) throws RequestRefusedException {
    core.heartbeat(
        HeartbeatRequest.newBuilder().setServerId(server).setMemoryUsed(usedBytes).build(), "one");
  }

  @Test
  void whatEndedFirstGoesFirstWhenRoomIsShort() throws RequestRefusedException {
    long capacity = 1L << 40;
    for (String job : List.of("job_1_1", "job_1_2", "job_1_3")) {
      write(job, HOUR_MS);
    }
    end("job_1_2", EndJob.Cause.APPLICATION);
    core.nowMs++;
    end("job_1_1", EndJob.Cause.APPLICATION);
    hear("s1", capacity / 16 * 15);
    applyDue();
    assertThat(core.state.jobs().kept()).as("there is room").hasSize(2);
    hear("s1", capacity / 16 * 15 + 1);
    applyDue();
    applyDue();
    assertGone("job_1_2");
    assertThat(core.state.jobs().kept()).as("the server has not told what that gave").hasSize(1);
    core.nowMs += core.state.desk().heartbeatMs();
    hear("s1", capacity);
    applyDue();
    assertGone("job_1_1");
    core.nowMs += core.state.desk().heartbeatMs();
    hear("s1", capacity);
    applyDue();
    assertThat(core.state.jobs().names()).as("what lives stays").containsExactly("job_1_3");
    assertThat(core.metrics.get(MetaserverMetric.KEPT_FOR_ROOM)).isEqualTo(2);
  }

  @Test
  void roomOnAnotherServerIsNoReason() throws RequestRefusedException {
    write(JOB, HOUR_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    core.register("s2", CoreFixture.RACK);
    hear("s2", 1L << 40);
    applyDue();
    assertThat(core.state.jobs().kept()).hasSize(1);
  }

  @Test
  void itsKeyStays() throws RequestRefusedException {
    Admit admit =
        Admit.newBuilder()
            .setName(JOB)
            .setSuffix("00000001")
            .setKeyId(ByteString.copyFromUtf8("id"))
            .setAccessKey(ByteString.copyFrom(new byte[32]))
            .setUser("ann")
            .build();
    apply(JournalEntry.newBuilder().setAdmit(admit));
    write(JOB, HOUR_MS);
    end(JOB, EndJob.Cause.APPLICATION);
    core.nowMs += HOUR_MS / 2;
    applyDue();
    assertThat(core.state.principalOf(JOB, core.nowMs)).isNotNull();
    end(JOB, EndJob.Cause.KEPT_DROPPED);
    assertRefused(Status.JOB_UNKNOWN, "has ended", () -> core.state.principalOf(JOB, core.nowMs));
  }

  /** A new leader, or the same one after a restart, knows all that is kept and when it goes. */
  @Test
  void aSnapshotHasIt() throws Exception {
    long chunk = write(JOB, HOUR_MS);
    core.state
        .desk()
        .register(
            CoreFixture.server("s1")
                .addChunks(CoreFixture.report(JOB, chunk, 0, ChunkState.SORTED))
                .build(),
            CoreFixture.RACK,
            false,
            core.nowMs);
    core.plan(JOB, 0, true, 0, 0, 1, 0);
    core.nowMs += 77;
    end(JOB, EndJob.Cause.APPLICATION);
    MetaserverState restored = restored();
    assertThat(restored.jobs().find(JOB).kept()).isEqualTo(core.state.jobs().find(JOB).kept());
    assertThat(restored.jobs().find(JOB).spec().keepMs()).isEqualTo(HOUR_MS);
    restored.beginLeading(core.nowMs);
    long end = core.nowMs + HOUR_MS;
    assertThat(ends(restored, end - 1)).isEmpty();
    assertThat(ends(restored, end))
        .singleElement()
        .satisfies(
            entry -> assertThat(entry.getEnd().getCause()).isEqualTo(EndJob.Cause.KEPT_TIME));
  }

  private MetaserverState restored() throws IOException {
    return ReplayTest.restored(ReplayTest.snapshot(core.state));
  }
}
