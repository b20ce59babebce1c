package dev.sailfish.system.yarn.chaos;

/**
 * A task attempt as the job history has it.
 *
 * @param id {@code attempt_…}
 * @param state SUCCEEDED, FAILED or KILLED
 * @param diagnostics why it ended, when it did not succeed
 */
record EndedAttempt(String id, String state, String diagnostics) {
  /** Attempts of an ApplicationMaster's second attempt are numbered from here. */
  private static final int OF_SECOND_MASTER = 1000;

  boolean isMap() {
    return id.contains("_m_");
  }

  /** Its task's id. */
  String task() {
    return id.substring(0, id.lastIndexOf('_'));
  }

  /** Whether it counts against {@code maxattempts}: attempts that were killed do not. */
  boolean failed() {
    return state.equals("FAILED");
  }

  /** Whether it was done over because reducers could not read its output. */
  boolean outputWasLost() {
    return !succeeded()
        && (diagnostics.contains("fetch failures") || diagnostics.contains("Map output is lost"));
  }

  boolean succeeded() {
    return state.equals("SUCCEEDED");
  }

  /** Whether it ran because, or ended so that, a task had to be done again. */
  boolean isRerun() {
    return !succeeded() && !outputWasLost() || isOfSecondMaster();
  }

  boolean isOfSecondMaster() {
    return Integer.parseInt(id.substring(id.lastIndexOf('_') + 1)) >= OF_SECOND_MASTER;
  }
}
