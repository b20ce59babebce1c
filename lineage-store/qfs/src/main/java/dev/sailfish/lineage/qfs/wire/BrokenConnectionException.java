package dev.sailfish.lineage.qfs.wire;

import java.io.IOException;

/**
 * A connection is gone: its peer went away, did not answer in time, or said what no server of QFS
 * says. Whether the server has done what it was asked is unknown. Another attempt over another
 * connection, or with another server, may succeed.
 */
public final class BrokenConnectionException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * @param message server, operation and what happened
   */
  public BrokenConnectionException(String message) {
    super(message);
  }

  /**
   * @param message server, operation and what happened
   * @param cause what the socket said
   */
  public BrokenConnectionException(String message, Throwable cause) {
    super(message, cause);
  }
}
