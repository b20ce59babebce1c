package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Expectation;
import java.util.regex.Pattern;

/** What a job may do when a fault meets it; a wrong output and a hang are never among it. */
enum JobExpectation implements Expectation {
  /** The job succeeds with the output of stock. */
  JOB_SUCCEEDS(null),

  /**
   * As above, or stock's own rule: an ApplicationMaster that dies while the job's output is being
   * committed fails the job, whatever the shuffle. The next one says so in these words
   * (MRAppMaster).
   */
  MAY_FAIL_IN_COMMIT(
      Pattern.compile(
          "Job commit from a prior MRAppMaster attempt is potentially in progress\\."
              + " Preventing multiple commit executions")),

  /** The job succeeds when the kill came too late; otherwise it ends as one that was killed. */
  MAY_BE_KILLED(Pattern.compile("state KILLED|killed by user"));

  private final Pattern clearError;

  JobExpectation(Pattern clearError) {
    this.clearError = clearError;
  }

  @Override
  public boolean allowsFailure(String diagnostics) {
    return clearError != null && clearError.matcher(diagnostics).find();
  }
}
