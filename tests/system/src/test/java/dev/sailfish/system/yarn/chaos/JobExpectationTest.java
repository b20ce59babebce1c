package dev.sailfish.system.yarn.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A failed job is excused by the sentence that its fault leads to, and by no other. */
class JobExpectationTest {
  private static final String IN_COMMIT =
      "Job failed with state ERROR due to: Job commit from a prior MRAppMaster attempt is"
          + " potentially in progress. Preventing multiple commit executions";

  @Test
  void deathInTheJobsCommitShouldExcuseAKilledMaster() {
    assertThat(JobExpectation.MAY_FAIL_IN_COMMIT.allowsFailure(IN_COMMIT)).isTrue();
  }

  @Test
  void otherFailuresThatNameACommitShouldNotExcuseAKilledMaster() {
    for (String other :
        new String[] {
          "Task failed task_1_0001_r_000000: commit of the manifest failed: chunkserver 2 is full",
          "Job commit failed: java.io.IOException: disk full",
          "Job commit failed in a prior MRAppMaster attempt before it crashed. Not retrying.",
          "Container killed on request, exit code 143; attempt was in COMMIT_PENDING",
        }) {
      assertThat(JobExpectation.MAY_FAIL_IN_COMMIT.allowsFailure(other)).as(other).isFalse();
    }
  }

  @Test
  void noSentenceShouldExcuseAFaultThatJobsSurvive() {
    assertThat(JobExpectation.JOB_SUCCEEDS.allowsFailure(IN_COMMIT)).isFalse();
    assertThat(JobExpectation.JOB_SUCCEEDS.allowsFailure("state KILLED")).isFalse();
  }
}
