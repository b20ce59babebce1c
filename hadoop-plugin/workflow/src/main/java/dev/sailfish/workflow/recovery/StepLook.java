package dev.sailfish.workflow.recovery;

/**
 * What is known of a step that was begun.
 *
 * @param application its id; empty while it is not known
 * @param percent how far it is, from 0 to 100
 * @param cause why it failed, for people; empty when it did not
 * @param hopeless it failed, and another attempt would fail in the same way
 */
public record StepLook(
    State state, String application, int percent, String cause, boolean hopeless) {

  /**
   * How far it is.
   *
   * <pre>
   *   STARTING ──▶ RUNNING ──▶ SUCCEEDED, FAILED
   *       └──────────────────────▲
   * </pre>
   *
   * It is looked at now and then, so that RUNNING may be passed unseen.
   */
  public enum State {
    /** YARN has not accepted it yet. */
    STARTING,
    /** It waits for containers, or runs. */
    RUNNING,
    /** It ended well; whether the outputs are stored the master says. */
    SUCCEEDED,
    /** It ended otherwise, or could not be begun. */
    FAILED;

    /** Whether it has ended. */
    public boolean isEnd() {
      return this == SUCCEEDED || this == FAILED;
    }

    /** Whether this state may follow another one, or is the same. */
    public boolean mayFollow(State before) {
      return switch (before) {
        case STARTING -> true;
        case RUNNING -> this != STARTING;
        case SUCCEEDED, FAILED -> this == before;
      };
    }
  }

  /** Not known to YARN yet. */
  public static StepLook starting() {
    return new StepLook(State.STARTING, "", 0, "", false);
  }

  /** Known to YARN. */
  public static StepLook running(String application, int percent) {
    return new StepLook(State.RUNNING, application, percent, "", false);
  }

  /** Ended well. */
  public static StepLook succeeded(String application) {
    return new StepLook(State.SUCCEEDED, application, 100, "", false);
  }

  /** Ended otherwise; {@code application} is empty if it was never begun. */
  public static StepLook failed(String application, String cause, boolean hopeless) {
    return new StepLook(State.FAILED, application, 0, cause, hopeless);
  }
}
