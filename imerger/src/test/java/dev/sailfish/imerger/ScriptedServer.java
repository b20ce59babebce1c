package dev.sailfish.imerger;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.protocol.IfileService;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Speaks the protocol over plain sockets, one thread per connection; what it says is a script. */
abstract class ScriptedServer implements Closeable {
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  /** What goes back; an empty payload is none. */
  record Reply(MessageLite header, byte[] payload) {
    Reply(MessageLite header) {
      this(header, new byte[0]);
    }
  }

  /** Makes the server answer with an error. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Status status;

    Refusal(Status status) {
      super("refused by script");
      this.status = status;
    }
  }

  /** Makes the server close the connection, in the middle of a reply. */
  static final class Cut extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Starts it.
   *
   * @param port where it listens: one that no client gets from the kernel while the server is down
   */
  ScriptedServer(int port) throws IOException {
    listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", listener.getLocalPort());
  }

  int connections() {
    return connections.get();
  }

  /** Errors of the script itself. */
  ConcurrentLinkedQueue<Throwable> failures() {
    return failures;
  }

  abstract Reply handle(Operation<?, ?> operation, byte[] header, byte[] payload)
      throws IOException, Refusal, Cut, InterruptedException;

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "scripted-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        sockets.add(socket);
        if (listener.isClosed()) {
          // Accepted while it was being closed: nobody else would close this one.
          socket.close();
        }
        start(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      byte[] fixed = new byte[FrameDescriptor.LENGTH];
      while (true) {
        in.readFully(fixed);
        serveOne(ByteBuffer.wrap(fixed), in, out);
      }
    } catch (EOFException | SocketException e) {
      // The client has gone, or the server was closed.
      return;
    } catch (Cut e) {
      return;
    } catch (IOException | RuntimeException | InterruptedException e) {
      failures.add(e);
    } finally {
      sockets.remove(socket);
    }
  }

  private void serveOne(ByteBuffer fixed, DataInputStream in, OutputStream out)
      throws IOException, Cut, InterruptedException {
    FrameDescriptor.check(fixed, 0);
    Operation<?, ?> operation =
        IfileService.SERVICE.ofCode(FrameDescriptor.operationCode(fixed, 0));
    byte[] header = in.readNBytes(FrameDescriptor.headerLength(fixed, 0));
    byte[] payload = in.readNBytes(FrameDescriptor.payloadLength(fixed, 0));
    if ((FrameDescriptor.flags(fixed, 0) & FrameDescriptor.FLAG_HEADER_IN_PAYLOAD) != 0) {
      header = payload;
      payload = new byte[0];
    }
    long correlation = FrameDescriptor.correlation(fixed, 0);
    if (operation == Operation.HELLO) {
      HelloResponse hello =
          HelloResponse.newBuilder()
              .setProtocolVersion(FrameDescriptor.VERSION)
              .setServer("scripted")
              .build();
      write(out, operation, 0, correlation, new Reply(hello), Integer.MAX_VALUE);
      return;
    }
    try {
      Reply reply = handle(operation, header, payload);
      write(out, operation, 0, correlation, reply, Integer.MAX_VALUE);
    } catch (Refusal e) {
      ErrorResponse error =
          ErrorResponse.newBuilder().setStatus(e.status.code()).setMessage(e.getMessage()).build();
      write(
          out,
          operation,
          FrameDescriptor.FLAG_ERROR,
          correlation,
          new Reply(error),
          Integer.MAX_VALUE);
    } catch (Cut e) {
      Reply half = new Reply(ErrorResponse.getDefaultInstance(), new byte[1000]);
      write(out, operation, 0, correlation, half, 500);
      throw e;
    }
  }

  private static void write(
      OutputStream out,
      Operation<?, ?> operation,
      int flags,
      long correlation,
      Reply reply,
      int limit)
      throws IOException {
    byte[] header = reply.header().toByteArray();
    boolean inPayload = header.length > FrameDescriptor.MAX_HEADER_LENGTH;
    byte[] payload = inPayload ? header : reply.payload();
    int headerLength = inPayload ? 0 : header.length;
    ByteBuffer fixed = ByteBuffer.allocate(FrameDescriptor.LENGTH + headerLength);
    FrameDescriptor.write(
        fixed,
        operation,
        flags
            | FrameDescriptor.FLAG_RESPONSE
            | (inPayload ? FrameDescriptor.FLAG_HEADER_IN_PAYLOAD : 0),
        correlation,
        headerLength,
        payload.length);
    fixed.put(header, 0, headerLength);
    out.write(fixed.array());
    out.write(payload, 0, Math.min(limit, payload.length));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
