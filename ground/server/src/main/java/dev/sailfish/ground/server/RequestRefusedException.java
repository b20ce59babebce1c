package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.Status;
import java.io.IOException;

/**
 * A server refuses a request: its caller gets the status and the message, and the connection goes
 * on. Thrown by handlers and sinks; it is an answer, not a defect, and therefore has no stack
 * trace.
 */
public final class RequestRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  /**
   * @param status what the caller may do about it
   * @param message what was refused and why, with {@code name=value} of both sides
   */
  public RequestRefusedException(Status status, String message) {
    super(message);
    this.status = status;
  }

  /** What the caller may do about it. */
  public Status status() {
    return status;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
