package dev.sailfish.ground.server.frame;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request that came over a {@link FrameConnection}. */
final class InboundRequest implements Request {
  private static final byte[] NO_PAYLOAD = new byte[0];

  private final FrameConnection connection;
  private final Operation<?, ?> operation;
  private final long correlation;
  private final long startNs;
  private final AtomicBoolean answered = new AtomicBoolean();
  // Written by the I/O thread before the request is handed on, and never after.
  private byte[] header;
  private byte[] payload = NO_PAYLOAD;
  private PayloadSink sink;
  private CollectingSink collected;

  InboundRequest(
      FrameConnection connection, Operation<?, ?> operation, long correlation, byte[] header) {
    this.connection = connection;
    this.operation = operation;
    this.correlation = correlation;
    this.startNs = connection.nanoTime();
    this.header = header;
  }

  /** All payload is in the sink. */
  void complete(PayloadSink filled, boolean headerInPayload) {
    if (!(filled instanceof CollectingSink)) {
      sink = filled;
      return;
    }
    collected = (CollectingSink) filled;
    if (headerInPayload) {
      header = collected.bytes();
    } else {
      payload = collected.bytes();
    }
  }

  boolean isAnswered() {
    return answered.get();
  }

  @Override
  public Operation<?, ?> operation() {
    return operation;
  }

  @Override
  public <T extends MessageLite> T header(Parser<T> parser) throws RequestRefusedException {
    try {
      return parser.parseFrom(header);
    } catch (InvalidProtocolBufferException e) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "header cannot be decoded: operation=%s bytes=%s: %s"
              .formatted(operation, header.length, e.getMessage()));
    }
  }

  @Override
  public ByteBuffer headerBytes() {
    return ByteBuffer.wrap(header).asReadOnlyBuffer();
  }

  @Override
  public byte[] payload() {
    return payload;
  }

  @Override
  public PayloadSink sink() {
    return sink;
  }

  @Override
  public SocketAddress peer() {
    return connection.peer();
  }

  @Override
  public String caller() {
    return connection.caller();
  }

  @Override
  public Principal principal() {
    return connection.principal();
  }

  @Override
  public byte[] session() {
    return connection.session();
  }

  @Override
  public boolean connected() {
    return connection.isOpen();
  }

  @Override
  public boolean asksOn() {
    return !connection.hasEnded();
  }

  @Override
  public void reply(MessageLite message, Runnable released, ByteBuffer... bytes) {
    answer(message, OutboundFrame.Reply.of(released, bytes));
  }

  @Override
  public void replyFile(
      MessageLite message, FileChannel file, long offset, long length, Runnable released) {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException("offset=" + offset + " length=" + length);
    }
    answer(message, OutboundFrame.Reply.of(file, offset, length, released));
  }

  private void answer(MessageLite message, OutboundFrame.Reply reply) {
    if (reply.length() > FrameDescriptor.MAX_PAYLOAD_LENGTH) {
      reply.released().run();
      throw new IllegalArgumentException(
          "answer is too long: payload="
              + reply.length()
              + " limit="
              + FrameDescriptor.MAX_PAYLOAD_LENGTH);
    }
    if (!answered.compareAndSet(false, true)) {
      reply.released().run();
      throw secondAnswer();
    }
    finish(OutboundFrame.good(operation, correlation, message, reply));
  }

  @Override
  public void fail(Status status, String message) {
    if (!failIfOpen(status, message)) {
      throw secondAnswer();
    }
  }

  /** Answers with an error unless there is an answer already; returns whether it did. */
  boolean failIfOpen(Status status, String message) {
    if (!answered.compareAndSet(false, true)) {
      return false;
    }
    finish(OutboundFrame.bad(operation, correlation, status, message));
    return true;
  }

  private void finish(OutboundFrame frame) {
    if (collected != null) {
      collected.abort();
    }
    connection.answer(frame, startNs);
  }

  private IllegalStateException secondAnswer() {
    return new IllegalStateException(
        "request was answered before: operation=%s correlation=%s caller=%s"
            .formatted(operation, correlation, caller()));
  }
}
