package dev.sailfish.protocol;

/**
 * What a frame asks for. The header of a request is the {@code …Request} message of the same name
 * in {@code sailfish.proto}, that of a good reply the {@code …Response} message, or {@code
 * EmptyResponse} where there is none. Codes are part of the protocol: new ones are added at the
 * end.
 */
public enum Operation {
  /** First on every connection. */
  HELLO(1),
  /** Creates a job's I-files. */
  CREATE_IFILES(2),
  /** Binds an appender to chunks. */
  BIND(3),
  /** Stores what a map attempt wrote. */
  COMMIT_MANIFEST(4),
  /** Gives an attempt's bindings back. */
  ABORT_ATTEMPT(5),
  /** What to read for a partition. */
  PLAN_PARTITION(6),
  /** Keeps a job alive. */
  RENEW_LEASE(7),
  /** Ends a job and frees its chunks. */
  DELETE_JOB(8),
  /** All jobs. */
  LIST_JOBS(9),
  /** One job and its chunks. */
  DESCRIBE_JOB(10),
  /** A chunkserver joins. */
  REGISTER_CHUNKSERVER(11),
  /** A chunkserver reports and waits for commands. */
  HEARTBEAT(12),
  /** Appends one block to a chunk. */
  APPEND(13),
  /** Waits until a chunk is sorted, and gets its tail. */
  AWAIT_SORTED(14),
  /** Reads by offset. */
  READ(15),
  /** Reads by key. */
  READ_RANGE(16),
  /** Chunks that a chunkserver holds. */
  LIST_CHUNKS(17),
  /** Counters of a server. */
  SERVER_STATUS(18),
  /** Names chunks that could not be read. */
  REPORT_UNREADABLE(19),
  /** Empties a chunkserver that is to leave. */
  DRAIN(20),
  /** Second on every connection: the caller's proof of who it is. */
  AUTHENTICATE(21),
  /** The access key of a job. */
  GET_JOB_KEY(22),
  /** What the journal of one metaserver tells that of another. */
  JOURNAL(23),
  /** A token with which a user's jobs are admitted. */
  GET_DELEGATION_TOKEN(28);

  private static final Operation[] BY_CODE;

  static {
    Operation[] all = values();
    BY_CODE = new Operation[all[all.length - 1].code + 1];
    for (Operation operation : all) {
      BY_CODE[operation.code] = operation;
    }
  }

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /**
   * The operation with this code.
   *
   * @throws ProtocolException when there is none
   */
  public static Operation ofCode(int code) throws ProtocolException {
    if (code < 1 || code >= BY_CODE.length || BY_CODE[code] == null) {
      throw new ProtocolException(
          "unknown operation: code=" + code + " known=1.." + (BY_CODE.length - 1));
    }
    return BY_CODE[code];
  }
}
