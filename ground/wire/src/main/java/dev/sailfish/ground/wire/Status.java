package dev.sailfish.ground.wire;

/**
 * Why a request failed, and what the caller may do about it. Codes are part of the protocol: new
 * ones are added at the end.
 */
public enum Status {
  /** The request does not make sense; sending it again does not help. */
  BAD_REQUEST(1, false),
  /** The job is unknown here: it has ended, its lease ran out, or it never began. */
  JOB_UNKNOWN(2, false),
  /** The chunk takes no further block: bind to another one. */
  CHUNK_FULL(3, true),
  /** The server does not hold the chunk: its bytes are lost. */
  CHUNK_UNKNOWN(4, false),
  /** The chunk was held and is damaged or lost. */
  CHUNK_LOST(5, false),
  /** No space in any tier, or no server that has tiers is up: try later or elsewhere. */
  NO_SPACE(6, true),
  /** A limit on memory or queues is reached: try later. */
  BUSY(7, true),
  /** A block arrived damaged: send it again. */
  CORRUPT(8, true),
  /** The server could not finish before the deadline that the request named. */
  DEADLINE(9, true),
  /** Both sides speak different protocol versions. */
  VERSION_MISMATCH(10, false),
  /** A defect or an I/O error in the server; its log has the details. */
  INTERNAL(11, true),
  /** A job exists with other parameters than the request names. */
  CONFLICT(12, false),
  /** One side has not proved who it is; the connection is closed. */
  UNAUTHENTICATED(13, false),
  /** The caller is authenticated, and may not do this. */
  FORBIDDEN(14, false),
  /** The job's user has used up a quota: nothing helps but that other jobs of the user end. */
  OVER_QUOTA(16, false),
  /** Another server leads, or none does yet: ask the others, or later. */
  NOT_LEADER(17, true),
  /** A limit of the server on what jobs may make it keep is reached: the message names its key. */
  OVER_LIMIT(19, false),
  /** Nothing speaks for the job: it is not a running application, or its ticket is not good. */
  NOT_ADMITTED(20, false),
  /** The server does not hold the block, or the block is not being written there. */
  NOT_HELD(21, false),
  /** What permits the request was good for some time, which is over: get a new one. */
  TOKEN_EXPIRED(22, false),
  /** The server is being drained and takes nothing new: ask another one, or later. */
  DRAINING(23, true);

  private final int code;
  private final boolean retryable;

  Status(int code, boolean retryable) {
    this.code = code;
    this.retryable = retryable;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /** Whether the same work may succeed later or elsewhere. */
  public boolean retryable() {
    return retryable;
  }

  /** The status with this code; an unknown one, from a newer server, counts as INTERNAL. */
  public static Status ofCode(int code) {
    for (Status status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return INTERNAL;
  }
}
