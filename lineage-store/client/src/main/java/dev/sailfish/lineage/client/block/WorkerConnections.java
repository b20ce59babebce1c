package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Connections to workers; those that nobody uses are kept, a few of each. Thread-safe. */
public final class WorkerConnections implements Closeable {
  private static final int KEPT_OF_EACH = 4;

  private final Network network;
  private final String caller;
  private final Credentials credentials;
  private final Duration deadline;
  private final Map<String, Deque<Connection>> idle = new HashMap<>();
  private boolean closed;

  /**
   * @param caller for workers' logs
   * @param deadline of each connect and of each wait
   */
  public WorkerConnections(
      Network network, String caller, Credentials credentials, Duration deadline) {
    this.network = network;
    this.caller = caller;
    this.credentials = credentials;
    this.deadline = deadline;
  }

  /** A connection for the caller alone, who gives it back, or closes it when it broke. */
  Connection take(WorkerAddress worker) throws IOException {
    Connection kept;
    do {
      kept = poll(key(worker));
    } while (kept != null && !kept.isOpen());
    return kept == null
        ? Connection.open(
            network,
            new InetSocketAddress(worker.getHost(), worker.getPort()),
            caller,
            credentials,
            deadline)
        : kept;
  }

  private synchronized Connection poll(String key) {
    Deque<Connection> connections = idle.get(key);
    return connections == null ? null : connections.pollLast();
  }

  /** Nobody uses it any more, and nothing is outstanding on it. */
  void giveBack(WorkerAddress worker, Connection connection) {
    boolean isKept = false;
    synchronized (this) {
      Deque<Connection> connections =
          idle.computeIfAbsent(key(worker), key -> new ArrayDeque<>(KEPT_OF_EACH));
      boolean isUsable = connection.isOpen() && connection.outstanding() == 0 && !closed;
      if (isUsable && connections.size() < KEPT_OF_EACH) {
        connections.addLast(connection);
        isKept = true;
      }
    }
    if (!isKept) {
      connection.close();
    }
  }

  private static String key(WorkerAddress worker) {
    return worker.getHost() + ":" + worker.getPort();
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.values().forEach(connections -> connections.forEach(Connection::close));
    idle.clear();
  }
}
