package dev.sailfish.simulation;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.simulator.Violation;
import java.util.EnumSet;
import java.util.Set;

/**
 * No server answers that it failed, that bytes were damaged, or that our own clients do not keep to
 * the protocol: nothing in the simulation damages bytes, so each of these is a defect. Nor does any
 * server forget the job before it is ended: its lease is longer than a schedule.
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

  private boolean jobEnded;
  private Violation seen;

  /** From now on servers may say that they do not know the job. */
  void jobEnded() {
    jobEnded = true;
  }

  /** A server refuses something. */
  void refused(String server, Operation<?, ?> operation, Status status, String message) {
    if (operation == IfileService.DRAIN) {
      return; // of a server that is dead by now
    }
    // Strangers have keys asked for of jobs that are made up, or have not begun.
    boolean unheardOf = operation == IfileService.GET_JOB_KEY;
    boolean forgotten = status == Status.JOB_UNKNOWN && !jobEnded && !unheardOf;
    if (seen == null && (forgotten || DEFECTS.contains(status))) {
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
