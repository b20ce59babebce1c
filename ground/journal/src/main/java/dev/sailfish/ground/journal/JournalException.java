package dev.sailfish.ground.journal;

import java.io.IOException;

/** The journal does not take an entry or a message: an answer, and therefore no stack trace. */
public final class JournalException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What the caller may do about it. */
  public enum Reason {
    /** Try the one that leads. */
    NOT_LEADER,
    /** Try again later. */
    BUSY,
    /** Nothing: this is never taken. */
    BAD_REQUEST,
    /** Nothing: the journal itself has failed. */
    FAILED
  }

  private final Reason reason;

  /**
   * @param message what was refused and why, with {@code name=value} of both sides
   */
  public JournalException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** What the caller may do about it. */
  public Reason reason() {
    return reason;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
