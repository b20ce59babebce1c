package dev.sailfish.ground.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * One request and the way back to its caller. May be kept and answered from any thread; exactly one
 * of the reply methods and {@link #fail} is called, once, and a second answer is an
 * IllegalStateException. None of them waits, and none fails because the caller is gone: the answer
 * is dropped then, and what was to be released is released.
 */
public interface Request {
  /** What is asked for. */
  Operation<?, ?> operation();

  /**
   * The header, decoded.
   *
   * @throws RequestRefusedException with BAD_REQUEST when it is no such message
   */
  <T extends MessageLite> T header(Parser<T> parser) throws RequestRefusedException;

  /** The encoded header; belongs to the request, not to be changed. */
  ByteBuffer headerBytes();

  /** The collected payload; empty when there was none or when it went to {@link #sink()}. */
  byte[] payload();

  /** The sink that {@link RequestHandler#payloadSink} gave and that has all bytes now, or null. */
  PayloadSink sink();

  /** Address of the caller. */
  SocketAddress peer();

  /** How the caller named itself in HELLO; for log lines. */
  String caller();

  /**
   * Who the caller has proved to be. It may ask for the operation; which job's things it may name
   * is for {@link Principal#requireJob}.
   */
  Principal principal();

  /**
   * Both nonces of the connection's handshake, the client's first; empty when nobody is
   * authenticated here.
   */
  byte[] session();

  /** Whether the caller is still connected; false means that nobody will see the answer. */
  boolean connected();

  /**
   * Whether the caller may ask for more over this connection. It does not when it has closed it:
   * for that alone it counts as connected until it has its answers, which it may be waiting for.
   */
  default boolean asksOn() {
    return connected();
  }

  /**
   * The good answer.
   *
   * @param header response message of the operation
   * @param payload raw bytes behind it, from position to limit, not copied: they must stay as they
   *     are until the answer is sent, and nobody tells when that is. Use the variant with {@code
   *     released} for memory that is used again.
   */
  default void reply(MessageLite header, ByteBuffer... payload) {
    reply(header, null, payload);
  }

  /**
   * The good answer with payload in memory that is used again.
   *
   * @param released run once when the bytes are not needed any more, sent or not; on any thread,
   *     must not wait; null: nothing is
   * @param payload raw bytes, from position to limit, not copied
   */
  void reply(MessageLite header, Runnable released, ByteBuffer... payload);

  /**
   * The good answer with bytes of a file, which the kernel copies to the socket.
   *
   * @param file stays open until {@code released} is run; is not closed here
   * @param offset of the first byte
   * @param length at most {@code FrameDescriptor.MAX_PAYLOAD_LENGTH}; may be 0
   * @param released run once when the file is not needed any more, sent or not; on any thread, must
   *     not wait
   */
  void replyFile(MessageLite header, FileChannel file, long offset, long length, Runnable released);

  /**
   * The bad answer.
   *
   * @param message one sentence: what, where, and what to do
   */
  void fail(Status status, String message);
}
