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

  /**
   * Throws one. Where it is thrown in another class, that class's verification loads this one: what
   * runs in tasks calls this instead.
   *
   * @param message what was expected and what was found, as {@code name=value}
   */
  static void raise(String message) throws ProtocolException {
    throw new ProtocolException(message);
  }
}
