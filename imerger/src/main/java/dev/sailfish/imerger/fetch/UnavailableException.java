package dev.sailfish.imerger.fetch;

import java.io.IOException;

/** A chunkserver cannot give what was asked for, and asking again at once does not help. */
public final class UnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean away;

  private UnavailableException(String message, Throwable cause, boolean away) {
    super(message, cause);
    this.away = away;
  }

  /**
   * The server answers, but does not have it.
   *
   * @param message server and reason
   */
  public static UnavailableException missing(String message, Throwable cause) {
    return new UnavailableException(message, cause, false);
  }

  /**
   * The server cannot be reached; what it has may be there again when it is.
   *
   * @param message server and reason
   */
  static UnavailableException away(String message, Throwable cause) {
    return new UnavailableException(message, cause, true);
  }

  /** Whether the server cannot be reached. */
  public boolean isAway() {
    return away;
  }
}
