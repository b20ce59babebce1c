package dev.sailfish.ground.server.frame;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.server.tls.LentFileRegion;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.ErrorResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * One answer on its way out.
 *
 * @param header encoded header message
 * @param parts payload: ByteBufs, or one file region
 * @param payloadLength bytes of all parts
 * @param released run once when the parts are not needed any more
 */
record OutboundFrame(
    Operation<?, ?> operation,
    int flags,
    long correlation,
    byte[] header,
    List<Object> parts,
    long payloadLength,
    Runnable released) {

  private static final int MAX_MESSAGE_CHARS = 4000;
  private static final Runnable NOTHING = () -> {};

  static OutboundFrame good(
      Operation<?, ?> operation, long correlation, MessageLite header, Reply reply) {
    byte[] bytes = header.toByteArray();
    if (bytes.length <= FrameDescriptor.MAX_HEADER_LENGTH) {
      return new OutboundFrame(
          operation,
          FrameDescriptor.FLAG_RESPONSE,
          correlation,
          bytes,
          reply.parts(),
          reply.length(),
          reply.released());
    }
    if (reply.length() > 0) {
      reply.released().run();
      return bad(
          operation,
          correlation,
          Status.INTERNAL,
          "answer has a payload and a header that is too long: header="
              + bytes.length
              + " limit="
              + FrameDescriptor.MAX_HEADER_LENGTH);
    }
    return new OutboundFrame(
        operation,
        FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_HEADER_IN_PAYLOAD,
        correlation,
        new byte[0],
        List.of(Unpooled.wrappedBuffer(bytes)),
        bytes.length,
        reply.released());
  }

  static OutboundFrame bad(
      Operation<?, ?> operation, long correlation, Status status, String message) {
    String text = message == null ? status.name() : message;
    if (text.length() > MAX_MESSAGE_CHARS) {
      text = text.substring(0, MAX_MESSAGE_CHARS) + " ...";
    }
    ErrorResponse error =
        ErrorResponse.newBuilder().setStatus(status.code()).setMessage(text).build();
    return new OutboundFrame(
        operation,
        FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_ERROR,
        correlation,
        error.toByteArray(),
        List.of(),
        0,
        NOTHING);
  }

  /** Fixed part and header, in a buffer that the caller owns. */
  ByteBuf head(ByteBufAllocator allocator) {
    int length = FrameDescriptor.LENGTH + header.length;
    ByteBuf head = allocator.ioBuffer(length);
    ByteBuffer out = head.internalNioBuffer(0, length);
    FrameDescriptor.write(
        out, operation, flags, correlation, header.length, Math.toIntExact(payloadLength));
    out.put(header);
    return head.writerIndex(length);
  }

  boolean isError() {
    return (flags & FrameDescriptor.FLAG_ERROR) != 0;
  }

  int length() {
    return (int) (FrameDescriptor.LENGTH + header.length + payloadLength);
  }

  /** What comes behind the header of a good answer. */
  record Reply(List<Object> parts, long length, Runnable released) {
    static Reply of(Runnable released, ByteBuffer... payload) {
      Object[] parts = new Object[payload.length];
      long length = 0;
      for (int i = 0; i < parts.length; i++) {
        length += payload[i].remaining();
        parts[i] = Unpooled.wrappedBuffer(payload[i]);
      }
      return new Reply(List.of(parts), length, released == null ? NOTHING : released);
    }

    static Reply of(FileChannel file, long offset, long length, Runnable released) {
      List<Object> parts =
          length == 0 ? List.of() : List.of(new LentFileRegion(file, offset, length));
      return new Reply(parts, length, released == null ? NOTHING : released);
    }
  }
}
