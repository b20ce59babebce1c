package dev.sailfish.protocol.client;

import java.io.IOException;

/**
 * A chunkserver answers, but has not done what was asked of it in the time that there was. Nothing
 * is lost: who asks again later gets it.
 */
public final class SlowServerException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is slow, where, how far it is, and what to do
   */
  public SlowServerException(String message) {
    super(message);
  }

  /**
   * @param message what is slow, where, how far it is, and what to do
   * @param cause what the server said last
   */
  public SlowServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
