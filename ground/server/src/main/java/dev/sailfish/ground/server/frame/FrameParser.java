package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.ProtocolException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Turns the bytes of one connection into frames. Collects the fixed part and the header of a frame;
 * payload goes to a sink as it comes. Used by the connection's I/O thread only.
 */
final class FrameParser {
  /** Hears about the frames. */
  interface Target {
    /**
     * Fixed part and header are complete.
     *
     * @param operation its code
     * @return where the payload goes; null drops it
     * @throws ProtocolException when the connection cannot go on
     */
    PayloadSink begin(int operation, int flags, long correlation, byte[] header, int payloadLength)
        throws ProtocolException;

    /** The sink threw; the rest of the payload is dropped. */
    void payloadFailed(Exception cause);

    /** All bytes of the frame have come. */
    void end();
  }

  private static final byte[] NO_HEADER = new byte[0];

  private final Target target;
  private final ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.LENGTH);
  private boolean fixedDone;
  private byte[] header = NO_HEADER;
  private int headerFilled;
  private boolean begun;
  private PayloadSink sink;
  private int payloadLeft;
  private long frames;

  FrameParser(Target target) {
    this.target = target;
  }

  /**
   * Takes bytes until a frame is complete or there are no more.
   *
   * @return true when a frame was completed; the bytes behind it are still in {@code in}
   * @throws ProtocolException when the peer does not speak the protocol; nothing more may be
   *     consumed
   */
  boolean consume(ByteBuf in) throws ProtocolException {
    if (!fixedDone && !takeFixed(in)) {
      return false;
    }
    if (!begun) {
      if (!takeHeader(in)) {
        return false;
      }
      begun = true;
      payloadLeft = FrameDescriptor.payloadLength(fixed, 0);
      sink =
          target.begin(
              FrameDescriptor.operationCode(fixed, 0),
              FrameDescriptor.flags(fixed, 0),
              FrameDescriptor.correlation(fixed, 0),
              header,
              payloadLeft);
    }
    if (!takePayload(in)) {
      return false;
    }
    reset();
    target.end();
    return true;
  }

  private boolean takeFixed(ByteBuf in) throws ProtocolException {
    int count = Math.min(in.readableBytes(), fixed.remaining());
    in.readBytes(fixed.array(), fixed.position(), count);
    fixed.position(fixed.position() + count);
    if (fixed.position() >= Short.BYTES && !FrameDescriptor.begins(fixed, 0)) {
      FrameDescriptor.check(fixed, 0);
    }
    if (fixed.hasRemaining()) {
      return false;
    }
    FrameDescriptor.check(fixed, 0);
    int length = FrameDescriptor.headerLength(fixed, 0);
    header = length == 0 ? NO_HEADER : new byte[length];
    fixedDone = true;
    return true;
  }

  private boolean takeHeader(ByteBuf in) {
    int count = Math.min(in.readableBytes(), header.length - headerFilled);
    in.readBytes(header, headerFilled, count);
    headerFilled += count;
    return headerFilled == header.length;
  }

  private boolean takePayload(ByteBuf in) {
    int count = Math.min(in.readableBytes(), payloadLeft);
    if (count > 0 && sink != null) {
      write(in.internalNioBuffer(in.readerIndex(), count));
    }
    in.skipBytes(count);
    payloadLeft -= count;
    return payloadLeft == 0;
  }

  private void write(ByteBuffer piece) {
    try {
      sink.write(piece);
    } catch (IOException | RuntimeException e) {
      sink = null;
      target.payloadFailed(e);
    }
  }

  private void reset() {
    fixed.clear();
    fixedDone = false;
    header = NO_HEADER;
    headerFilled = 0;
    begun = false;
    sink = null;
    frames++;
  }

  /** Whether a frame has begun and is not complete. */
  boolean inFrame() {
    return fixed.position() > 0;
  }

  /** Whether the frame that has begun has its header and waits for payload. */
  boolean inPayload() {
    return begun;
  }

  /** Bytes of payload that have not come yet, of the frame that has begun. */
  int payloadLeft() {
    return payloadLeft;
  }

  /** How many frames were complete; tells the one that has begun from those before it. */
  long frames() {
    return frames;
  }

  /** Whether the peer can be told about the frame that broke the protocol. */
  boolean answerable() {
    return !fixed.hasRemaining() && FrameDescriptor.begins(fixed, 0);
  }

  /** Whether the frame that broke the protocol is of another version than this side speaks. */
  boolean otherVersion() {
    return answerable() && FrameDescriptor.version(fixed, 0) != FrameDescriptor.VERSION;
  }

  /** Correlation id of the frame that broke the protocol. */
  long correlation() {
    return FrameDescriptor.correlation(fixed, 0);
  }
}
