package dev.sailfish.system.fuzz;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.HelloRequest;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A connection that sends whatever bytes a test wants as header and payload of a request. */
final class RawPeer implements Closeable {
  private final Socket socket;
  private final DataInputStream in;
  private long correlation;

  /** Connects and says HELLO. */
  RawPeer(InetSocketAddress address, String caller, Duration deadline) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout((int) deadline.toMillis());
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    MessageLite hello =
        HelloRequest.newBuilder()
            .setProtocolVersion(FrameDescriptor.VERSION)
            .setCaller(caller)
            .build();
    send(Operation.HELLO, hello.toByteArray(), new byte[0]);
    readReply();
  }

  /** Sends one request. */
  void send(Operation<?, ?> operation, byte[] header, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + header.length + payload.length);
    FrameDescriptor.write(frame, operation, 0, ++correlation, header.length, payload.length);
    socket.getOutputStream().write(frame.put(header).put(payload).array());
  }

  /**
   * Reads one reply to its end.
   *
   * @return its flags
   * @throws IOException when the server has closed, or is silent for longer than the deadline
   */
  int readReply() throws IOException {
    byte[] fixed = new byte[FrameDescriptor.LENGTH];
    in.readFully(fixed);
    ByteBuffer frame = ByteBuffer.wrap(fixed);
    FrameDescriptor.check(frame, 0);
    in.skipNBytes(FrameDescriptor.headerLength(frame, 0));
    in.skipNBytes(FrameDescriptor.payloadLength(frame, 0));
    return FrameDescriptor.flags(frame, 0);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
