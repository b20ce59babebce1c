package dev.sailfish.lineage.understore;

import java.io.IOException;

/** The under store did not do what was asked. The message says what, where, and what is wrong. */
public class UnderStoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What kind of failure it is: what the caller can do about it. */
  public enum Reason {
    /** There is no such file or directory. */
    MISSING,
    /** There is a file already, and it is another one. */
    EXISTS,
    /** The user may not. */
    DENIED,
    /** The mount is read-only. */
    READ_ONLY,
    /** The file is not the one that was recorded: forget what was loaded of it. */
    CHANGED,
    /** A copy is not what was recorded of it: it must not be read. */
    DAMAGED,
    /** Too much is going on at this mount, or hangs there; nothing was begun: try again later. */
    BUSY,
    /** It did not end in time; what was asked may still happen. */
    TIMEOUT,
    /** No under store could do that: a path out of the mount, a closed stream. */
    INVALID,
    /** Anything else; the cause is the under store's own. */
    FAILED
  }

  private final Reason reason;

  /** A failure without a cause below. */
  public UnderStoreException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** A failure that the under store's own tells of. */
  public UnderStoreException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** What the caller can do about it. */
  public Reason reason() {
    return reason;
  }
}
