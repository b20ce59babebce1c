package dev.sailfish.ground.wire;

import java.io.IOException;

/**
 * A server answered a request with an error, or did not prove who it is; {@link #status()} says
 * what the caller may do.
 */
public final class RemoteException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  /**
   * @param status kind of the error
   * @param message the server's sentence
   */
  public RemoteException(Status status, String message) {
    super(message + " [" + status + "]");
    this.status = status;
  }

  /**
   * One of {@link Status#UNAUTHENTICATED}, to be thrown. The verification of a class that throws
   * this type loads it: what runs in tasks throws what this returns.
   */
  static IOException unauthenticated(String message) {
    return new RemoteException(Status.UNAUTHENTICATED, message);
  }

  /** Throws it, for classes that must not load it unless there is one. */
  void raise() throws RemoteException {
    throw this;
  }

  /** Kind of the error. */
  public Status status() {
    return status;
  }
}
