package dev.sailfish.imerger.fetch;

import java.io.IOException;

/** A chunkserver cannot give what was asked for, and asking again does not help. */
public final class UnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message server and reason
   */
  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
