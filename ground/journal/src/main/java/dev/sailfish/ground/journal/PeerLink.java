package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.EnumMap;
import java.util.Map;

/**
 * The way from this journal to that of another peer. Thread-safe. Each kind of message has a
 * connection of its own, made when it is first needed, so that a vote does not wait behind a
 * snapshot.
 */
final class PeerLink implements Closeable {
  private final PeerNetwork network;
  private final InetSocketAddress address;
  private final Map<PeerMessage, Line> lines = new EnumMap<>(PeerMessage.class);
  private volatile boolean closed;

  /** One connection, or none yet; guarded by its monitor. */
  private static final class Line {
    private PeerConnection connection;

    boolean isOpen() {
      return connection != null && connection.isOpen();
    }
  }

  PeerLink(PeerNetwork network, InetSocketAddress address) {
    this.network = network;
    this.address = address;
    for (PeerMessage kind : PeerMessage.values()) {
      lines.put(kind, new Line());
    }
  }

  /**
   * Sends a message and waits for its answer. One that was sent over a connection that breaks is
   * sent once more over a new one: all of Raft's messages may be repeated.
   *
   * @return the answer; the caller's
   * @throws InterruptedIOException when the thread was interrupted, and only then
   * @throws IOException when there is no answer in time, or the other peer refuses
   */
  byte[] ask(PeerMessage kind, byte[] message) throws IOException {
    Line line = lines.get(kind);
    try {
      synchronized (line) {
        boolean used = line.isOpen();
        try {
          return exchange(line, kind, message);
        } catch (IOException e) {
          if (!used || line.isOpen() || e instanceof InterruptedIOException) {
            throw e;
          }
        }
        return exchange(line, kind, message);
      }
    } catch (SocketTimeoutException e) {
      // Which is an InterruptedIOException, and nobody was interrupted.
      throw new IOException(e.getMessage(), e);
    }
  }

  private byte[] exchange(Line line, PeerMessage kind, byte[] message) throws IOException {
    if (!line.isOpen()) {
      if (closed) {
        throw new IOException("this process ends; nothing more goes to " + address);
      }
      line.connection = network.open(address);
    }
    return line.connection.ask(kind.code(), message);
  }

  /** Ends the connections; one that waits for an answer is let wait, for its deadline at most. */
  @Override
  public void close() {
    closed = true;
    for (Line line : lines.values()) {
      synchronized (line) {
        if (line.connection != null) {
          line.connection.close();
        }
      }
    }
  }
}
