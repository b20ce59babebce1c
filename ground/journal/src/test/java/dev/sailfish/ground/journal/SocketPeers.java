package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Peers over sockets: a number for the kind, a length, the message; the answer is a length, or -1
 * and a sentence, and bytes. What listens has a thread for each connection.
 */
final class SocketPeers implements PeerNetwork {
  private final int timeoutMs;

  SocketPeers(int timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  @Override
  public PeerConnection open(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    boolean open = false;
    try {
      InetAddress host = InetAddress.getByName(address.getHostString());
      socket.connect(new InetSocketAddress(host, address.getPort()), timeoutMs);
      socket.setSoTimeout(timeoutMs);
      socket.setTcpNoDelay(true);
      open = true;
      return new Line(socket);
    } finally {
      if (!open) {
        socket.close();
      }
    }
  }

  private static final class Line implements PeerConnection {
    private final Socket socket;
    private boolean broken;

    Line(Socket socket) {
      this.socket = socket;
    }

    @Override
    public boolean isOpen() {
      return !broken && !socket.isClosed();
    }

    @Override
    public byte[] ask(int kind, byte[] message) throws IOException {
      boolean whole = false;
      try {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(kind);
        out.writeInt(message.length);
        out.write(message);
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = in.readInt();
        byte[] answer = length < 0 ? null : in.readNBytes(length);
        String refusal = length < 0 ? in.readUTF() : null;
        whole = true;
        if (refusal != null) {
          throw new IOException(refusal);
        }
        return answer;
      } finally {
        broken = !whole;
      }
    }

    @Override
    public boolean awaitEnd(long waitMs) throws InterruptedIOException {
      try {
        socket.setSoTimeout((int) waitMs);
        return socket.getInputStream().read() < 0;
      } catch (SocketTimeoutException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedIOException("interrupted while a peer was watched");
        }
        return false;
      } catch (IOException e) {
        return true;
      }
    }

    @Override
    public void close() {
      try {
        socket.close();
      } catch (IOException e) {
        broken = true;
      }
    }
  }

  /** Takes a message. */
  interface Receiver {
    CompletableFuture<byte[]> receive(int kind, byte[] message);
  }

  /** What other peers connect to. */
  static final class Listener implements Closeable {
    private static final long CLOSE_DEADLINE_MS = 20_000;

    private final ServerSocket server;
    private final Receiver receiver;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    Listener(int port, Receiver receiver) throws IOException {
      this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
      this.receiver = receiver;
      this.acceptor = thread(this::accept);
    }

    int port() {
      return server.getLocalPort();
    }

    private static Thread thread(Runnable work) {
      Thread thread = new Thread(work, "peers");
      thread.setDaemon(true);
      thread.start();
      return thread;
    }

    private void accept() {
      while (!server.isClosed()) {
        try {
          Socket socket = server.accept();
          sockets.add(socket);
          thread(() -> serve(socket));
        } catch (IOException e) {
          return; // closed
        }
      }
    }

    private void serve(Socket socket) {
      try (socket) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        while (true) {
          int kind = in.readInt();
          byte[] message = in.readNBytes(in.readInt());
          try {
            byte[] answer = receiver.receive(kind, message).get(20, TimeUnit.SECONDS);
            out.writeInt(answer.length);
            out.write(answer);
          } catch (ExecutionException e) {
            out.writeInt(-1);
            out.writeUTF(String.valueOf(e.getCause().getMessage()));
          }
          out.flush();
        }
      } catch (IOException | InterruptedException | TimeoutException e) {
        sockets.remove(socket); // the other side has gone, or this one
      }
    }

    /** When this returns, another one can listen at the same port. */
    @Override
    public void close() throws IOException {
      server.close();
      try {
        acceptor.join(CLOSE_DEADLINE_MS); // the port is taken while it is in accept
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
