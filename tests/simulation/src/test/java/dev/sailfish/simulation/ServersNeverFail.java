package dev.sailfish.simulation;

import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.Status;
import java.util.EnumSet;
import java.util.Set;

/**
 * No server answers that it failed, that bytes were damaged, or that our own clients do not keep to
 * the protocol: nothing in the simulation damages bytes, so each of these is a defect.
 */
final class ServersNeverFail {
  private static final Set<Status> DEFECTS =
      EnumSet.of(
          Status.INTERNAL,
          Status.BAD_REQUEST,
          Status.CHUNK_LOST,
          Status.CORRUPT,
          Status.VERSION_MISMATCH,
          Status.UNAUTHENTICATED,
          Status.FORBIDDEN);

  private Violation seen;

  /** A server refuses something. */
  void refused(String server, Operation operation, Status status, String message) {
    if (seen == null && DEFECTS.contains(status)) {
      seen =
          new Violation(
              ServersNeverFail.class,
              server + " answers " + operation + " with " + status + ": " + message);
    }
  }

  void check() {
    if (seen != null) {
      throw seen;
    }
  }
}
