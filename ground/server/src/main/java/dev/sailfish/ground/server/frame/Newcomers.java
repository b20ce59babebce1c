package dev.sailfish.ground.server.frame;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The connections of one server whose peers have not proved who they are. They are few: when there
 * are too many of one address, the oldest of these has to go, and when there are too many in all,
 * the oldest of the address that has most. So nobody keeps others out from one place. Thread-safe.
 */
final class Newcomers {
  /** Which part of all one address may have. */
  private static final int ADDRESS_SHARE = 4;

  private final int limit;
  // Guarded by this object's monitor.
  private final Map<InetAddress, Set<FrameConnection>> byAddress = new HashMap<>();
  private int count;

  Newcomers(int limit) {
    this.limit = limit;
  }

  /** A connection has come; returns the one that has to go for it, or null. */
  synchronized FrameConnection add(SocketAddress peer, FrameConnection connection) {
    Set<FrameConnection> same =
        byAddress.computeIfAbsent(address(peer), unused -> new LinkedHashSet<>());
    if (same.add(connection)) {
      count++;
    }
    if (same.size() > Math.max(1, limit / ADDRESS_SHARE)) {
      return oldest(same);
    }
    return count > limit ? oldest(busiest()) : null;
  }

  private Set<FrameConnection> busiest() {
    Set<FrameConnection> busiest = Set.of();
    for (Set<FrameConnection> connections : byAddress.values()) {
      if (connections.size() > busiest.size()) {
        busiest = connections;
      }
    }
    return busiest;
  }

  private FrameConnection oldest(Set<FrameConnection> connections) {
    Iterator<FrameConnection> all = connections.iterator();
    FrameConnection oldest = all.next();
    all.remove();
    count--;
    return oldest;
  }

  /** A connection has been authenticated, or ends; no matter if it is not here any more. */
  synchronized void remove(SocketAddress peer, FrameConnection connection) {
    InetAddress address = address(peer);
    Set<FrameConnection> same = byAddress.get(address);
    if (same == null) {
      return;
    }
    if (same.remove(connection)) {
      count--;
    }
    if (same.isEmpty()) {
      byAddress.remove(address);
    }
  }

  /** How many there are. */
  synchronized int size() {
    return count;
  }

  private static InetAddress address(SocketAddress peer) {
    return peer instanceof InetSocketAddress known
        ? known.getAddress()
        : InetAddress.getLoopbackAddress();
  }
}
