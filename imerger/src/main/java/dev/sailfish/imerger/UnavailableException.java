package dev.sailfish.imerger;

import java.io.IOException;

/** A chunkserver cannot give what was asked for, and asking again does not help. */
final class UnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
