package dev.sailfish.metaserver;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.JournalRequest;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way from this metaserver's journal to that of another one: over the port that all use, as the
 * cluster's daemon that this is, with TLS where the cluster has it. Thread-safe. Each kind of
 * message has a connection of its own, made when it is first needed, so that a vote does not wait
 * behind a snapshot.
 */
final class PeerLink implements Closeable {
  private final Network network;
  private final Credentials credentials;
  private final String caller;
  private final InetSocketAddress address;
  private final Duration deadline;
  private final Map<RaftMessage, Line> lines = new EnumMap<>(RaftMessage.class);
  private volatile boolean closed;

  /** One connection, or none yet; guarded by its lock. */
  private static final class Line {
    private final ReentrantLock lock = new ReentrantLock();
    private Connection connection;
  }

  /**
   * @param caller who calls, for the other side's log
   * @param address not resolved: it is looked up for each connection, because addresses change
   * @param deadline of each connect and of each wait for an answer
   */
  PeerLink(
      Network network,
      Credentials credentials,
      String caller,
      InetSocketAddress address,
      Duration deadline) {
    this.network = network;
    this.credentials = credentials;
    this.caller = caller;
    this.address = address;
    this.deadline = deadline;
    for (RaftMessage kind : RaftMessage.values()) {
      lines.put(kind, new Line());
    }
  }

  /**
   * Sends a message and waits for its answer. One that was sent over a connection that breaks is
   * sent once more over a new one: all of Raft's messages may be repeated.
   *
   * @return the answer; the caller's
   * @throws InterruptedIOException when the thread was interrupted, and only then
   * @throws IOException when there is no answer in time, or the other metaserver refuses
   */
  byte[] ask(RaftMessage kind, byte[] message) throws IOException {
    Line line = lines.get(kind);
    line.lock.lock();
    try {
      boolean used = line.connection != null && line.connection.isOpen();
      try {
        return exchange(line, kind, message);
      } catch (IOException e) {
        boolean stale = used && !line.connection.isOpen() && !(e instanceof InterruptedIOException);
        if (!stale) {
          throw e;
        }
      }
      return exchange(line, kind, message);
    } catch (SocketTimeoutException e) {
      // Which is an InterruptedIOException, and nobody was interrupted.
      throw new IOException(e.getMessage(), e);
    } finally {
      line.lock.unlock();
    }
  }

  private byte[] exchange(Line line, RaftMessage kind, byte[] message) throws IOException {
    if (line.connection == null || !line.connection.isOpen()) {
      line.connection = open();
    }
    PayloadReply reply = new PayloadReply();
    line.connection.send(
        IfileService.JOURNAL,
        JournalRequest.newBuilder().setMessage(kind.code()).build(),
        reply,
        ByteBuffer.wrap(message));
    while (!reply.ended()) {
      line.connection.poll();
    }
    if (reply.error() != null) {
      throw reply.error();
    }
    return reply.bytes();
  }

  private Connection open() throws IOException {
    if (closed) {
      throw new IOException("this metaserver ends; nothing more goes to " + address);
    }
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    return Connection.open(network, resolved, caller, credentials, deadline);
  }

  /** Ends the connections; one that waits for an answer is let wait, for its deadline at most. */
  @Override
  public void close() {
    closed = true;
    for (Line line : lines.values()) {
      line.lock.lock();
      try {
        if (line.connection != null) {
          line.connection.close();
        }
      } finally {
        line.lock.unlock();
      }
    }
  }
}
