package dev.sailfish.lineage.master.namespace;

/** What was asked of the namespace cannot be done; nothing has changed. */
public final class NamespaceException extends Exception {
  private static final long serialVersionUID = 1;

  /** What is wrong. */
  public enum Reason {
    /** There is no such file or directory. */
    NOT_FOUND,
    /** Something of that name is there already. */
    EXISTS,
    /** A file is where a directory is needed. */
    NOT_A_DIRECTORY,
    /** A directory is where a file is needed. */
    IS_A_DIRECTORY,
    /** The directory has entries. */
    NOT_EMPTY,
    /** The caller may not do that. */
    DENIED,
    /** It can never be done, by anyone: a name that cannot be one, a directory into itself. */
    INVALID,
    /** The file is not being written, or by someone else. */
    NOT_WRITING,
    /** The file is being written. */
    NOT_COMPLETE,
    /** A block is gone, with all workers that had it. */
    LOST,
    /** There are as many as there can be. */
    FULL,
    /** A directory's quota does not permit it. */
    QUOTA,
    /** The file has to be begun by a change. */
    NOT_ANNOUNCED
  }

  private final Reason reason;

  /**
   * @param message one sentence: what, and of which file
   */
  public NamespaceException(Reason reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }
}
