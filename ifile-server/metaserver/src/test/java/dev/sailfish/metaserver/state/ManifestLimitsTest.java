package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.wrote;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.manifest.ManifestLimits;
import dev.sailfish.metaserver.manifest.ManifestMemory;
import dev.sailfish.metaserver.wire.Lead;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What manifests may take, of a job and of all. */
class ManifestLimitsTest {
  private static final long MIB = CoreFixture.MIB;
  private static final long FIRST = ManifestMemory.SLAB_BYTES + ManifestMemory.BYTES_PER_MANIFEST;

  private final CoreFixture core = new CoreFixture();

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
  }

  private void limits(long jobBytes, long allBytes) {
    core.state.ledBy(
        Lead.newBuilder(core.state.lead())
            .setManifestJobBytes(jobBytes)
            .setManifestAllBytes(allBytes)
            .build());
  }

  private long create(String job) throws RequestRefusedException {
    core.create(job, 2);
    return core.bind(job, 99, 1).getChunk();
  }

  private long bytes() {
    return core.state.gauges().get(MetaserverMetric.MANIFEST_BYTES);
  }

  @Test
  void aJobHasALimit() throws RequestRefusedException {
    limits(FIRST + ManifestMemory.BYTES_PER_MANIFEST, 0);
    long chunk = create("job_1_1");
    core.commit("job_1_1", 0, 0, wrote(1, chunk));
    core.commit("job_1_1", 1, 0, wrote(1, chunk));
    assertThat(bytes()).isEqualTo(FIRST + ManifestMemory.BYTES_PER_MANIFEST);
    assertRefused(
        Status.OVER_LIMIT,
        "bytes=66304 limit=66048 job=job_1_1; fewer maps or reduces help, or raise"
            + " sailfish.metaserver.manifests.job.max.size",
        () -> core.commit("job_1_1", 2, 0, wrote(1, chunk)));
    core.commit("job_1_1", 1, 0, wrote(1, chunk));
    assertThat(core.plan("job_1_1", 1, false, 2, 0).getWinners(0).getKnown()).isFalse();
    long other = create("job_1_2");
    core.commit("job_1_2", 0, 0, wrote(1, other));
  }

  @Test
  void allHaveALimitAndAnEndedJobMakesRoom() throws RequestRefusedException {
    limits(0, 2 * FIRST);
    for (int job = 0; job < 2; job++) {
      core.commit("job_1_" + job, 0, 0, wrote(1, create("job_1_" + job)));
    }
    long chunk = create("job_1_2");
    assertRefused(
        Status.OVER_LIMIT,
        "sailfish.metaserver.manifests.max.size",
        () -> core.commit("job_1_2", 0, 0, wrote(1, chunk)));
    core.state.deleteJob("job_1_0", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    core.commit("job_1_2", 0, 0, wrote(1, chunk));
    assertThat(bytes()).isEqualTo(2 * FIRST);
    core.state.deleteJob("job_1_1", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    core.state.deleteJob("job_1_2", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    assertThat(bytes()).isZero();
  }

  @Test
  void manifestsOfNothingCountToo() throws RequestRefusedException {
    limits(FIRST, 0);
    create("job_1_1");
    core.commit("job_1_1", 0, 0);
    assertRefused(Status.OVER_LIMIT, "limit=" + FIRST, () -> core.commit("job_1_1", 1, 0));
  }

  @Test
  void theyFollowFromTheHeap() {
    assertThat(ManifestLimits.of(0, 0, 512 * MIB).allBytes()).isEqualTo(384 * MIB);
    assertThat(ManifestLimits.of(0, 0, 256 * MIB).allBytes()).isEqualTo(160 * MIB);
    assertThat(ManifestLimits.of(0, 0, 64 * MIB).allBytes()).isEqualTo(8 * MIB);
    assertThat(ManifestLimits.of(0, 100, 512 * MIB)).isEqualTo(new ManifestLimits(90, 100));
    assertThat(ManifestLimits.of(7, 100, 512 * MIB)).isEqualTo(new ManifestLimits(7, 100));
  }
}
