package dev.sailfish.metaserver.state;

import static dev.sailfish.metaserver.state.CoreFixture.assertRefused;
import static dev.sailfish.metaserver.state.CoreFixture.wrote;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What jobs may make the metaserver keep in its heap. */
class HeapLimitsTest {
  private static final String JOB = "job_1_1";
  private static final long BOUND = JobHeap.BYTES_PER_ATTEMPT + JobHeap.BYTES_PER_BINDING;

  private final CoreFixture core = new CoreFixture();

  @BeforeEach
  void start() throws RequestRefusedException {
    core.register("s1", CoreFixture.RACK);
    core.create(JOB, 2);
  }

  private void limits(long jobBytes, long allBytes) {
    core.state.ledBy(
        Lead.newBuilder(core.state.lead())
            .setHeapJobBytes(jobBytes)
            .setHeapAllBytes(allBytes)
            .build());
  }

  private long bytes() {
    return core.state.jobs().find(JOB).heap().allBytes();
  }

  private void abort(int map, boolean notRepeatable) throws RequestRefusedException {
    core.state.abortAttempt(
        AbortAttemptRequest.newBuilder()
            .setJob(JOB)
            .setMap(map)
            .setNotRepeatable(notRepeatable)
            .build(),
        core.nowMs);
  }

  @Test
  void bindingsOfEverNewAttemptsHaveALimit() throws RequestRefusedException {
    limits(JobHeap.BYTES_PER_CHUNK + 3 * BOUND, 0);
    for (int map = 0; map < 3; map++) {
      core.bind(JOB, map, 1);
    }
    assertThat(bytes()).isEqualTo(JobHeap.BYTES_PER_CHUNK + 3 * BOUND);
    assertRefused(
        Status.OVER_LIMIT,
        "chunks and manifests of this job take too much of the metaserver's heap: with this"
            + " bytes=1024 limit=960 job=job_1_1",
        () -> core.bind(JOB, 3, 1));
    abort(0, false);
    core.bind(JOB, 3, 1);
    core.create("job_1_2", 1);
    core.bind("job_1_2", 0, 0);
  }

  @Test
  void anAttemptThatIsBoundAtTheLimitMayCommit() throws RequestRefusedException {
    long chunk = core.bind(JOB, 0, 1).getChunk();
    core.bind(JOB, 0, 0);
    limits(bytes(), 0);
    core.commit(JOB, 0, 0, wrote(1, chunk));
    assertThat(bytes()).isEqualTo(2 * JobHeap.BYTES_PER_CHUNK + JobHeap.BYTES_PER_MANIFEST);
    assertRefused(Status.OVER_LIMIT, "limit=1024", () -> core.commit(JOB, 1, 0, wrote(1, chunk)));
  }

  @Test
  void chunksThatAreSaidToBeFullHaveALimit() throws RequestRefusedException {
    limits(100 * JobHeap.BYTES_PER_CHUNK, 0);
    assertRefused(
        Status.OVER_LIMIT,
        "limit=38400",
        () -> {
          for (long chunk = 0; core.state.jobs().find(JOB).chunks().size() < 200; ) {
            var full = CoreFixture.target(1).setPreviousChunk(chunk).setPreviousFull(true);
            chunk = core.bind(JOB, 0, full.build()).getChunk();
          }
        });
    assertThat(core.state.jobs().find(JOB).chunks()).hasSize(100);
  }

  @Test
  void mapsThatCannotBeRepeatedHaveALimit() throws RequestRefusedException {
    limits(2 * JobHeap.BYTES_PER_MAP, 0);
    abort(0, true);
    abort(1, true);
    abort(1, true);
    assertRefused(Status.OVER_LIMIT, "limit=128", () -> abort(2, true));
    abort(2, false);
    assertThat(core.state.jobs().find(JOB).notRepeatableMaps()).containsExactly(0, 1);
  }

  @Test
  void allHaveALimitAndAnEndedJobMakesRoom() throws RequestRefusedException {
    limits(0, 2 * (JobHeap.BYTES_PER_CHUNK + BOUND));
    for (String job : new String[] {"job_1_2", "job_1_3"}) {
      core.create(job, 1);
      core.bind(job, 0, 0);
    }
    assertRefused(Status.OVER_LIMIT, "manifests of all jobs", () -> core.bind(JOB, 0, 1));
    core.state.deleteJob("job_1_2", MetaserverMetric.JOBS_DELETED, "test", core.nowMs);
    core.bind(JOB, 0, 1);
  }

  @Test
  void withoutALeadersWordThereIsNone() throws RequestRefusedException {
    for (int map = 0; map < 10_000; map++) {
      core.bind(JOB, map, 1);
    }
  }

  /** 3500 maps at a time of a thousand partitions, beside the manifests of ten thousand. */
  @Test
  void aLargeJobFitsIntoTheHeapOfTheDefault() {
    long bindings = 3_500L * (JobHeap.BYTES_PER_ATTEMPT + 1_000 * JobHeap.BYTES_PER_BINDING);
    long others = 10_000L * (JobHeap.BYTES_PER_MANIFEST + JobHeap.BYTES_PER_CHUNK);
    assertThat(HeapLimits.of(512 * CoreFixture.MIB).jobBytes()).isGreaterThan(bindings + others);
  }
}
