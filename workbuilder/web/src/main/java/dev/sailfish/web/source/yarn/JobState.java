package dev.sailfish.web.source.yarn;

/** How a job is. */
public enum JobState {
  /** It waits for its first container. */
  SUBMITTED(false),
  /** Its ApplicationMaster runs. */
  RUNNING(false),
  /** It has ended, and its output is there. */
  SUCCEEDED(true),
  /** It has ended without an output. */
  FAILED(true),
  /** Somebody has ended it. */
  KILLED(true),
  /** It has ended, and nobody says how. */
  UNKNOWN(true);

  private final boolean last;

  JobState(boolean last) {
    this.last = last;
  }

  /** Whether no other state follows. */
  public boolean isFinal() {
    return last;
  }

  /** The state with this name; UNKNOWN for a text that names none. */
  public static JobState of(String text) {
    for (JobState state : values()) {
      if (state.name().equals(text)) {
        return state;
      }
    }
    return UNKNOWN;
  }
}
