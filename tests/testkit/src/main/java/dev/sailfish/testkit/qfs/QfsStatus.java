package dev.sailfish.testkit.qfs;

/** The statuses with which a QFS refuses; they are negative error numbers. */
public final class QfsStatus {
  /** Done. */
  public static final int OK = 0;

  /** No such file, directory, chunk position or write id. */
  public static final int NO_ENTRY = -2;

  /** A read at or after the end of a chunk. */
  public static final int IO = -5;

  /** A chunk that does not take appends any more. */
  public static final int PROTOCOL_STATE = -6;

  /** The chunkserver has no such chunk. */
  public static final int NO_CHUNK = -9;

  /** Not now: an unstable chunk, no replica alive. */
  public static final int AGAIN = -11;

  /** The answer would be too large. */
  public static final int TOO_LARGE = -12;

  /** Not allowed; also a truncation inside a chunk. */
  public static final int ACCESS = -13;

  /** An append whose chunk failed. */
  public static final int FAILED_STATE = -14;

  /** A lease is in the way. */
  public static final int BUSY = -16;

  /** The name is taken. */
  public static final int EXISTS = -17;

  /** A directory was expected. */
  public static final int NOT_DIRECTORY = -20;

  /** A file was expected. */
  public static final int IS_DIRECTORY = -21;

  /** A field that does not fit. */
  public static final int INVALID = -22;

  /** No room in the chunk, or no chunkserver. */
  public static final int NO_SPACE = -28;

  /** A write id whose status was asked for takes no more appends. */
  public static final int READ_ONLY = -30;

  /** The directory has entries. */
  public static final int NOT_EMPTY = -39;

  /** No such operation. */
  public static final int NO_OPERATION = -38;

  /** A server of the chain cannot be reached. */
  public static final int UNREACHABLE = -113;

  /** The replica has another version of the chunk. */
  public static final int BAD_VERSION = -1000;

  /** No valid write lease. */
  public static final int LEASE_EXPIRED = -1001;

  /** Bytes and checksum differ. */
  public static final int BAD_CHECKSUM = -1002;

  /** This metaserver is not the primary. */
  public static final int NOT_PRIMARY = -1009;

  private QfsStatus() {}
}
