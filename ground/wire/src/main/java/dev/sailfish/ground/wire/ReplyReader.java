package dev.sailfish.ground.wire;

import dev.sailfish.ground.wire.message.ErrorResponse;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The replies' half of a {@link Connection}: takes frames off its wire and ends the exchanges that
 * they answer. Payloads that are long go straight to where their exchange wants them, if that is
 * direct memory. Of the connection's thread.
 */
final class ReplyReader {
  private final Wire wire;
  private final InetSocketAddress address;
  private final Map<Long, Exchange> outstanding;
  private String server = Connection.UNKNOWN;

  // What was read, from position to limit; long once there is more than it holds.
  private ByteBuffer in = ByteBuffer.allocateDirect(Connection.FIRST_BYTES).limit(0);

  // The reply whose payload is being read, if any.
  private Exchange receiving;
  private RemoteException receivingRefusal;
  private ByteBuffer receivingHeader;
  private ByteBuffer receivingPayload;

  /**
   * Of a connection that has read nothing.
   *
   * @param address of the peer, for what is told of errors
   * @param outstanding the connection's exchanges without a reply, by correlation id; those that
   *     are answered are removed
   */
  ReplyReader(Wire wire, InetSocketAddress address, Map<Long, Exchange> outstanding) {
    this.wire = wire;
    this.address = address;
    this.outstanding = outstanding;
  }

  /** Takes down how the peer names itself, for what is told of errors. */
  void peerIs(String name) {
    server = name;
  }

  /**
   * Takes replies off the socket until it is empty for now. When the peer has closed behind replies
   * that it gave, these count: a server that refuses and closes is heard.
   *
   * @return how many replies were completed
   */
  int receive() throws IOException {
    int completed = 0;
    boolean more = true;
    while (more) {
      completed += parse();
      boolean straight =
          receivingPayload != null && receivingPayload.isDirect() && !in.hasRemaining();
      more = straight ? fill(receivingPayload, completed) : fillIn(completed);
    }
    return completed;
  }

  private boolean fillIn(int completed) throws IOException {
    in.compact();
    if (in.capacity() < Connection.LONG_BYTES && (!in.hasRemaining() || longPayloadComes())) {
      in = ByteBuffer.allocateDirect(Connection.LONG_BYTES).put(in.flip());
    }
    try {
      return fill(in, completed);
    } finally {
      in.flip();
    }
  }

  private boolean longPayloadComes() {
    return receivingPayload != null
        && !receivingPayload.isDirect()
        && receivingPayload.remaining() > in.capacity();
  }

  /** The end is no error yet when replies came before it: a server that refuses closes at once. */
  private boolean fill(ByteBuffer target, int completed) throws IOException {
    int count = wire.read(target);
    if (count < 0 && completed == 0) {
      throw new EOFException(
          "connection closed by %s (%s), outstanding requests=%s"
              .formatted(address, server, outstanding.size()));
    }
    return count > 0;
  }

  private int parse() throws IOException {
    int completed = 0;
    while (true) {
      if (receiving != null) {
        if (!takePayload()) {
          return completed;
        }
        completed++;
        continue;
      }
      if (in.remaining() < FrameDescriptor.LENGTH) {
        return completed;
      }
      int start = in.position();
      FrameDescriptor.check(in, start);
      int headerLength = FrameDescriptor.headerLength(in, start);
      if (in.remaining() < FrameDescriptor.LENGTH + headerLength) {
        return completed;
      }
      in.position(start + FrameDescriptor.LENGTH);
      byte[] header = new byte[headerLength];
      in.get(header);
      beginReply(start, ByteBuffer.wrap(header));
    }
  }

  private void beginReply(int start, ByteBuffer header) throws IOException {
    int flags = FrameDescriptor.flags(in, start);
    long correlation = FrameDescriptor.correlation(in, start);
    int payloadLength = FrameDescriptor.payloadLength(in, start);
    Exchange exchange = outstanding.remove(correlation);
    if (exchange == null || (flags & FrameDescriptor.FLAG_RESPONSE) == 0) {
      ProtocolException.raise(
          "unexpected frame from " + address + ": correlation=" + correlation + " flags=" + flags);
    }
    receiving = exchange;
    receivingHeader = header;
    receivingPayload = null;
    if ((flags & FrameDescriptor.FLAG_ERROR) != 0) {
      if (payloadLength != 0) {
        ProtocolException.raise(
            "error from " + address + " has a payload: length=" + payloadLength);
      }
      ErrorResponse error = ErrorResponse.parser().parseFrom(header.array());
      receivingRefusal = new RemoteException(Status.ofCode(error.getStatus()), error.getMessage());
    } else if ((flags & FrameDescriptor.FLAG_HEADER_IN_PAYLOAD) != 0) {
      receivingHeader = ByteBuffer.allocate(checkSmall(payloadLength));
      receivingPayload = receivingHeader.duplicate();
    } else if (payloadLength > 0) {
      receivingPayload = exchange.payload(header, payloadLength);
      if (receivingPayload.remaining() != payloadLength) {
        throw new IllegalStateException(
            "payload buffer: remaining="
                + receivingPayload.remaining()
                + " needed="
                + payloadLength);
      }
    }
  }

  private int checkSmall(int length) throws ProtocolException {
    int limit = 64 << 20;
    if (length > limit) {
      ProtocolException.raise(
          "header from " + address + " is too long: length=" + length + " limit=" + limit);
    }
    return length;
  }

  /** Moves bytes to the payload; when it is complete, ends the exchange and returns true. */
  private boolean takePayload() throws IOException {
    if (receivingPayload != null && receivingPayload.hasRemaining()) {
      int count = Math.min(in.remaining(), receivingPayload.remaining());
      receivingPayload.put(receivingPayload.position(), in, in.position(), count);
      receivingPayload.position(receivingPayload.position() + count);
      in.position(in.position() + count);
      if (receivingPayload.hasRemaining()) {
        return false;
      }
    }
    Exchange exchange = receiving;
    RemoteException refusal = receivingRefusal;
    receiving = null;
    receivingRefusal = null;
    receivingPayload = null;
    if (refusal == null) {
      exchange.done(receivingHeader);
    } else {
      exchange.failed(refusal);
    }
    return true;
  }

  /** The reply that is being read, if any, ends no exchange any more. */
  void forget() {
    receiving = null;
    receivingPayload = null;
  }
}
