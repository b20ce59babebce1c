package dev.sailfish.iappender;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.protocol.IfileService;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Speaks the wire protocol over plain sockets, one thread a connection, so that tests can spoil it.
 */
abstract class FakeServer implements Closeable {
  private static final int IDLE_MS = 3;

  private final ServerSocket listener;
  private final Set<Peer> peers = ConcurrentHashMap.newKeySet();

  FakeServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "fake-server");
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Peer peer = new Peer(listener.accept());
        peers.add(peer);
        if (listener.isClosed()) {
          // The connection came in while the listener was being closed.
          peer.cut();
        }
        Thread thread = new Thread(peer, "fake-connection");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  /** Answers one request, or does not. */
  abstract void handle(
      Peer peer, Operation<?, ?> operation, long correlation, byte[] header, byte[] body)
      throws IOException;

  @Override
  public void close() throws IOException {
    listener.close();
    for (Peer peer : peers) {
      peer.cut();
    }
  }

  /** One connection. */
  final class Peer implements Runnable {
    private final Socket socket;
    private final List<byte[]> withheld = new ArrayList<>();

    Peer(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
    }

    @Override
    public void run() {
      try {
        DataInputStream in =
            new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        while (true) {
          awaitFrame(in);
          ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.LENGTH);
          in.readFully(fixed.array());
          FrameDescriptor.check(fixed, 0);
          byte[] header = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
          byte[] body = in.readNBytes(FrameDescriptor.payloadLength(fixed, 0));
          if ((FrameDescriptor.flags(fixed, 0) & FrameDescriptor.FLAG_HEADER_IN_PAYLOAD) != 0) {
            header = body;
            body = new byte[0];
          }
          Operation<?, ?> operation =
              IfileService.SERVICE.ofCode(FrameDescriptor.operationCode(fixed, 0));
          long correlation = FrameDescriptor.correlation(fixed, 0);
          if (operation == Operation.HELLO) {
            reply(
                operation,
                correlation,
                HelloResponse.newBuilder()
                    .setProtocolVersion(FrameDescriptor.VERSION)
                    .setServer("fake")
                    .build());
          } else {
            handle(this, operation, correlation, header, body);
          }
        }
      } catch (IOException e) {
        cut();
      }
    }

    /** Waits for the next request; answers that are withheld go out when it does not come soon. */
    private void awaitFrame(DataInputStream in) throws IOException {
      in.mark(1);
      socket.setSoTimeout(withheld.isEmpty() ? 0 : IDLE_MS);
      try {
        if (in.read() < 0) {
          throw new SocketException("closed by the client");
        }
      } catch (SocketTimeoutException e) {
        flush();
        socket.setSoTimeout(0);
        in.read();
      }
      socket.setSoTimeout(0);
      in.reset();
    }

    void reply(Operation<?, ?> operation, long correlation, MessageLite header) throws IOException {
      write(frame(operation, correlation, FrameDescriptor.FLAG_RESPONSE, header));
    }

    /** Answers later: after requests to come, or when none comes. */
    void replyLate(Operation<?, ?> operation, long correlation, MessageLite header) {
      withheld.add(frame(operation, correlation, FrameDescriptor.FLAG_RESPONSE, header));
    }

    void refuse(Operation<?, ?> operation, long correlation, Status status) throws IOException {
      ErrorResponse error =
          ErrorResponse.newBuilder()
              .setStatus(status.code())
              .setMessage("scripted refusal")
              .build();
      int flags = FrameDescriptor.FLAG_RESPONSE | FrameDescriptor.FLAG_ERROR;
      write(frame(operation, correlation, flags, error));
    }

    /** Sends what was withheld, the last first. */
    void flush() throws IOException {
      for (int i = withheld.size() - 1; i >= 0; i--) {
        write(withheld.get(i));
      }
      withheld.clear();
    }

    private void write(byte[] frame) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(frame);
      out.flush();
    }

    private byte[] frame(
        Operation<?, ?> operation, long correlation, int flags, MessageLite header) {
      byte[] bytes = header.toByteArray();
      boolean tooLong = bytes.length > FrameDescriptor.MAX_HEADER_LENGTH;
      ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.LENGTH + bytes.length);
      FrameDescriptor.write(
          frame,
          operation,
          tooLong ? flags | FrameDescriptor.FLAG_HEADER_IN_PAYLOAD : flags,
          correlation,
          tooLong ? 0 : bytes.length,
          tooLong ? bytes.length : 0);
      frame.put(bytes);
      return frame.array();
    }

    /** Cuts the connection. */
    void cut() {
      peers.remove(this);
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
