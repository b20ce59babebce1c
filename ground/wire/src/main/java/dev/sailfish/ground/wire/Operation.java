package dev.sailfish.ground.wire;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.message.AuthenticateRequest;
import dev.sailfish.ground.wire.message.AuthenticateResponse;
import dev.sailfish.ground.wire.message.HelloRequest;
import dev.sailfish.ground.wire.message.HelloResponse;

/**
 * What a frame asks for: a code, the message that stands in the header of the request, the one in
 * that of a good reply, and who may ask. Those of a {@link Service} are made by it.
 *
 * <p>The two types are checked by the compiler wherever a request is made or served. Their parsers
 * are not kept here: a task would load the messages of all operations with the first one.
 *
 * @param <Q> header of the request
 * @param <A> header of a good reply
 */
public final class Operation<Q extends MessageLite, A extends MessageLite> {
  /** Who may ask for an operation, where anybody is authenticated at all. */
  public enum Caller {
    /** Anyone, before it is known who that is. */
    ANYONE,
    /** The cluster's daemons and commands. */
    CLUSTER,
    /** They, and each job for itself: the request names the job. */
    JOB,
    /** A user who has proved who he is, and nobody else. */
    USER,
    /** The cluster, and each user who bears a token, for what is his. */
    BEARER
  }

  /** First on every connection. */
  public static final Operation<HelloRequest, HelloResponse> HELLO =
      new Operation<>(1, "HELLO", Caller.ANYONE);

  /** Second on every connection to a server that authenticates: the caller's proof of who it is. */
  public static final Operation<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE =
      new Operation<>(21, "AUTHENTICATE", Caller.ANYONE);

  private final int code;
  private final String name;
  private final Caller caller;

  Operation(int code, String name, Caller caller) {
    this.code = code;
    this.name = name;
    this.caller = caller;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /** For messages. */
  public String name() {
    return name;
  }

  /** Who may ask for it. */
  public Caller caller() {
    return caller;
  }

  @Override
  public String toString() {
    return name;
  }
}
