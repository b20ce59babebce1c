package dev.sailfish.lineage.worker.under;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/** How failures below and at the master are told to those who asked. */
final class Failures {
  private Failures() {}

  /** What is answered. */
  static IOException refusal(Throwable failure) {
    if (failure instanceof RequestRefusedException refused) {
      return refused;
    }
    if (failure instanceof UnderStoreException below) {
      return new RequestRefusedException(status(below.reason()), below.getMessage());
    }
    if (failure instanceof NoSpaceException full) {
      return new RequestRefusedException(Status.NO_SPACE, full.getMessage());
    }
    if (failure instanceof RemoteException remote) {
      return new RequestRefusedException(remote.status(), remote.getMessage());
    }
    if (failure instanceof RejectedExecutionException) {
      return new RequestRefusedException(
          Status.BUSY, "too much waits for this mount at this worker already: try again later");
    }
    return failure instanceof IOException known ? known : new IOException(failure);
  }

  private static Status status(Reason reason) {
    return switch (reason) {
      case CHANGED, EXISTS, DAMAGED -> Status.CONFLICT;
      case MISSING -> Status.NOT_HELD;
      case DENIED, READ_ONLY -> Status.FORBIDDEN;
      case BUSY -> Status.BUSY;
      case TIMEOUT -> Status.DEADLINE;
      case INVALID -> Status.BAD_REQUEST;
      case FAILED -> Status.INTERNAL;
    };
  }

  /** Whether it says that the file below is another one than was recorded, or none. */
  static boolean isChange(Throwable failure) {
    return failure instanceof UnderStoreException below
        && (below.reason() == Reason.CHANGED || below.reason() == Reason.MISSING);
  }
}
