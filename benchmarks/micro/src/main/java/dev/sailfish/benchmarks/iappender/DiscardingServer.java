package dev.sailfish.benchmarks.iappender;

import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A metaserver and chunkserver in one that acknowledges every block and drops it. */
final class DiscardingServer implements Closeable {
  private final ServerSocket listener;

  DiscardingServer() throws IOException {
    listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "discarding-server");
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void serve(Socket socket) {
    byte[] discarded = new byte[128 << 10];
    ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.LENGTH);
    try (socket;
        DataInputStream in = new DataInputStream(socket.getInputStream())) {
      socket.setTcpNoDelay(true);
      while (true) {
        int first = in.read();
        if (first < 0) {
          return;
        }
        fixed.put(0, (byte) first);
        in.readFully(fixed.array(), 1, FrameDescriptor.LENGTH - 1);
        byte[] header = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
        int left = FrameDescriptor.payloadLength(fixed, 0);
        while (left > 0) {
          left -= in.readNBytes(discarded, 0, Math.min(left, discarded.length));
        }
        Operation<?, ?> operation =
            IfileService.SERVICE.ofCode(FrameDescriptor.operationCode(fixed, 0));
        byte[] reply = answer(operation, header);
        ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + reply.length);
        long correlation = FrameDescriptor.correlation(fixed, 0);
        FrameDescriptor.write(
            frame, operation, FrameDescriptor.FLAG_RESPONSE, correlation, reply.length, 0);
        socket.getOutputStream().write(frame.put(reply).array());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] answer(Operation<?, ?> operation, byte[] header) throws IOException {
    return switch (operation.name()) {
      case "HELLO" ->
          HelloResponse.newBuilder()
              .setProtocolVersion(FrameDescriptor.VERSION)
              .build()
              .toByteArray();
      case "CREATE_IFILES" ->
          CreateIfilesResponse.newBuilder().setChunkBytes(1 << 27).build().toByteArray();
      case "BIND" -> bind(BindRequest.parseFrom(header)).toByteArray();
      default -> EmptyResponse.getDefaultInstance().toByteArray();
    };
  }

  private BindResponse bind(BindRequest request) {
    BindResponse.Builder response = BindResponse.newBuilder();
    for (BindTarget target : request.getTargetsList()) {
      response.addBindings(
          Binding.newBuilder()
              .setPartition(target.getPartition())
              .setChunk(1 + target.getPartition())
              .setServerId("discarding")
              .setHost(address().getHostString())
              .setPort(address().getPort()));
    }
    return response.build();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
