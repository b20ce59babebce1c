package dev.sailfish.lineage.qfs.append;

/**
 * No server of the chunk could say before the deadline whether the records of the last append are
 * in the file. They are there once or not at all; only a look into the file tells.
 */
public final class AppendInDoubtException extends AppendException {
  private static final long serialVersionUID = 1;

  AppendInDoubtException(String message, Throwable cause) {
    super(message, cause);
  }
}
