package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;

/**
 * Who is at the other end of a connection, the key that proves it, and what follows from that. One
 * object may stand for many connections. Thread-safe; never shows its key.
 */
public final class Principal {
  /** Any caller of a server without authentication: may do everything. */
  public static final Principal EVERYBODY = new Principal("everybody", "", "", null, null);

  private final String name;
  private final String job;
  private final String user;
  private final byte[] key;
  private final RequestHandler requests;
  private volatile boolean ended;

  private Principal(String name, String job, String user, byte[] key, RequestHandler requests) {
    this.name = name;
    this.job = job;
    this.user = user;
    this.key = key;
    this.requests = requests;
  }

  /** Daemons and commands of the cluster: may do everything. */
  public static Principal ofCluster(byte[] secret) {
    return new Principal(Handshake.CLUSTER, "", "", secret.clone(), null);
  }

  /** A job's tasks: may do what concerns their job. */
  public static Principal ofJob(String job, byte[] key) {
    if (job.isEmpty()) {
      throw new IllegalArgumentException("a job has a name");
    }
    return new Principal(Handshake.JOB_PREFIX + job, job, "", key.clone(), null);
  }

  /**
   * A user who has proved who he is: may ask for what is for users, and for nothing else. One
   * connection's.
   *
   * @param user for messages
   * @param requests does what he asks for on this connection
   */
  public static Principal ofUser(String user, RequestHandler requests) {
    return new Principal(Handshake.USER + " " + user, "", user, null, requests);
  }

  /**
   * A user who bears a token: may do what is for users who do.
   *
   * @param key the token's password
   */
  public static Principal ofBearer(String user, byte[] key) {
    if (user.isEmpty()) {
      throw new IllegalArgumentException("a user has a name");
    }
    return new Principal(Handshake.USER + " " + user, "", user, key.clone(), null);
  }

  /** As in HELLO; of a user, with who it is. */
  public String name() {
    return name;
  }

  /** The job's id; empty for the cluster and for everybody. */
  public String job() {
    return job;
  }

  /** Which user it is; empty for the cluster, for jobs, and for everybody. */
  public String user() {
    return user;
  }

  /** The key; a copy. */
  public byte[] copyOfKey() {
    return key.clone();
  }

  /** The job has ended: its connections may do nothing any more. */
  public void end() {
    ended = true;
  }

  /**
   * Checks that a request may name this job.
   *
   * @param named the job, or empty for all
   * @throws RequestRefusedException FORBIDDEN when it is another job's, JOB_UNKNOWN when it has
   *     ended
   */
  public void requireJob(String named) throws RequestRefusedException {
    if (job.isEmpty()) {
      return;
    }
    if (!job.equals(named)) {
      throw forbidden("asks for job=" + named);
    }
    if (ended) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "job=" + job + " has ended, and its key with it");
    }
  }

  /**
   * Checks that the principal may ask for an operation at all.
   *
   * @throws RequestRefusedException FORBIDDEN when it is for others
   */
  public void check(Operation<?, ?> operation) throws RequestRefusedException {
    boolean isUser = requests != null;
    boolean isTrusted = user.isEmpty() && job.isEmpty();
    boolean may =
        switch (operation.caller()) {
          case ANYONE -> true;
          case CLUSTER -> isTrusted;
          case JOB -> user.isEmpty();
          case USER -> isUser;
          case BEARER -> isTrusted || !isUser && !user.isEmpty();
        };
    if (!may) {
      throw forbidden(
          "asks for operation=" + operation + ", which is for caller=" + operation.caller());
    }
  }

  /** What does what a user asks for; null of all others. */
  public RequestHandler requests() {
    return requests;
  }

  private RequestRefusedException forbidden(String what) {
    return new RequestRefusedException(
        Status.FORBIDDEN, "connection is authenticated for '" + name + "' and " + what);
  }

  @Override
  public String toString() {
    return name;
  }
}
