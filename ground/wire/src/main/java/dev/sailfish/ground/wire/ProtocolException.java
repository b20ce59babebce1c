package dev.sailfish.ground.wire;

import java.io.IOException;

/** The peer does not speak this protocol: the connection is of no further use. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what was expected and what was found, as {@code name=value}
   */
  public ProtocolException(String message) {
    super(message);
  }
}
