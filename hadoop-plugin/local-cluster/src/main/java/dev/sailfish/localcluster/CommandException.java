package dev.sailfish.localcluster;

/**
 * Something the user has to know and can act on; the message is a whole sentence and is printed
 * without a stack trace.
 */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An error with a sentence for the user. */
  public CommandException(String message) {
    super(message);
  }

  /** An error with a sentence for the user and what lies behind it. */
  public CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
