package dev.sailfish.lineage.qfs.wire;

import dev.sailfish.ground.config.HostPort;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections of one client. A stream takes one, uses it alone and gives it back, so that what
 * goes wrong for one stream breaks no other. One daemon thread watches the deadlines of all. Thread
 * safe.
 */
public final class Connections implements Closeable {
  private static final long MOST_BETWEEN_LOOKS_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int LOOKS_PER_DEADLINE = 10;

  private final ConnectionSettings settings;
  private final Clock clock;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Map<HostPort, Deque<Connection>> idle = new HashMap<>();
  private boolean closed;

  /** None are open yet. */
  public Connections(ConnectionSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    Thread watch = new Thread(this::watch, "qfs deadlines");
    watch.setDaemon(true);
    watch.start();
  }

  /** The time of all waits. */
  public Clock clock() {
    return clock;
  }

  /**
   * An open connection for the caller alone, who gives it back or closes it.
   *
   * @throws BrokenConnectionException naming the server when it cannot be reached
   */
  public Connection take(HostPort server) throws IOException {
    Connection kept = takeIdle(server);
    return kept == null ? openNew(server) : kept;
  }

  private Connection takeIdle(HostPort server) throws IOException {
    lock.lock();
    try {
      requireOpen(server);
      Deque<Connection> there = idle.get(server);
      Connection found = there == null ? null : there.pollLast();
      while (found != null && !found.isOpen()) {
        open.remove(found);
        found = there.pollLast();
      }
      return found;
    } finally {
      lock.unlock();
    }
  }

  private Connection openNew(HostPort server) throws IOException {
    Connection made = Connection.open(server, settings, clock);
    lock.lock();
    try {
      if (closed) {
        made.close();
      }
      requireOpen(server);
      open.add(made);
      change.signalAll();
      return made;
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen(HostPort server) throws IOException {
    if (closed) {
      throw new IOException("the QFS client is closed, nothing more is asked of " + server);
    }
  }

  /** Takes a connection back. One that is broken, or one too many, is closed. */
  public void give(Connection connection) {
    lock.lock();
    try {
      Deque<Connection> there = idle.computeIfAbsent(connection.server(), s -> new ArrayDeque<>());
      if (!closed && connection.isOpen() && there.size() < settings.idleConnections()) {
        there.addLast(connection);
        return;
      }
      open.remove(connection);
    } finally {
      lock.unlock();
    }
    connection.close();
  }

  /** How many are open, in use or not. */
  public int size() {
    return open.size();
  }

  private void watch() {
    while (awaitLook()) {
      long nowNs = clock.nanoTime();
      for (Connection connection : open) {
        connection.checkDeadlines(nowNs);
        if (!connection.isOpen()) {
          open.remove(connection);
        }
      }
    }
  }

  private boolean awaitLook() {
    lock.lock();
    try {
      if (!closed && open.isEmpty()) {
        change.await();
      } else if (!closed) {
        long share = settings.request().toNanos() / LOOKS_PER_DEADLINE;
        change.awaitNanos(Math.min(share, MOST_BETWEEN_LOOKS_NS));
      }
      return !closed;
    } catch (InterruptedException e) {
      // This thread belongs to the pool alone, which ends it when it is closed.
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Closes all, those in use as well. Never throws. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      idle.clear();
      change.signalAll();
    } finally {
      lock.unlock();
    }
    open.forEach(Connection::close);
    open.clear();
  }
}
