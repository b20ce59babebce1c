package dev.sailfish.benchmarks.chunkserver;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Connections of this process to itself: one side is the caller's thread, one another thread. */
final class Loopback implements AutoCloseable {
  private static final long DEADLINE_S = 60;

  private final ExecutorService other = Executors.newSingleThreadExecutor();

  /** What one side of a connection does. */
  interface Side {
    void run(SocketChannel socket) throws IOException;
  }

  /** Runs both sides of a new connection to their end. */
  void connect(Side client, Side accepted) throws IOException, InterruptedException {
    try (ServerSocketChannel listening = ServerSocketChannel.open()) {
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Future<?> served =
          other.submit(
              () -> {
                try (SocketChannel socket = listening.accept()) {
                  accepted.run(socket);
                }
                return null;
              });
      try (SocketChannel socket = SocketChannel.open(listening.getLocalAddress())) {
        client.run(socket);
        served.get(DEADLINE_S, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("the other side has failed", e);
      }
    }
  }

  static void writeAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  static void readAll(SocketChannel socket, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new EOFException("the other side has closed");
      }
    }
  }

  @Override
  public void close() {
    other.shutdown();
  }
}
