package dev.sailfish.workflow.step;

import java.io.IOException;

/** A record cannot be run any more, however often it is tried; the message says why. */
public final class LostProgramException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * @param message a sentence for people
   */
  public LostProgramException(String message) {
    super(message);
  }

  /**
   * @param message a sentence for people
   * @param cause what was met
   */
  public LostProgramException(String message, Throwable cause) {
    super(message, cause);
  }
}
