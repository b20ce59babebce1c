package dev.sailfish.ground.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * The search for the one of several servers that leads: which one is asked next, and why those that
 * were asked do not serve. A server that takes no connection of this client may be the only one
 * that does so, and another one lead: its refusal counts once all were asked. For one thread at a
 * time.
 */
final class LeaderSearch {
  private final List<InetSocketAddress> addresses;
  private final boolean[] asked;
  private int current;
  private IOException refusal;
  private IOException other;

  /**
   * @param first which one is asked first
   */
  LeaderSearch(List<InetSocketAddress> addresses, int first) {
    this.addresses = addresses;
    this.asked = new boolean[addresses.size()];
    this.current = first;
  }

  /** Which server is to be asked. */
  int current() {
    return current;
  }

  /** Whether a server has said that another one leads. */
  static boolean isNotLeader(IOException failure) {
    return failure instanceof RemoteException refusal && refusal.status() == Status.NOT_LEADER;
  }

  /**
   * Whether a server has refused a connection for what may be wrong with itself: its certificate,
   * its secret, its clock or its release.
   */
  static boolean isOfOneServer(IOException failure) {
    return failure instanceof RemoteException refusal
        ? refusal.status() == Status.UNAUTHENTICATED || refusal.status() == Status.VERSION_MISMATCH
        : failure instanceof ProtocolException;
  }

  /**
   * The server does not serve: next is the one that it names as the leader, else the one behind it;
   * if not asked yet.
   */
  void failed(IOException why) {
    if (isOfOneServer(why)) {
      refusal = why;
    } else {
      other = why;
    }
    if (asked.length > 0) {
      asked[current] = true;
      current = next(isNotLeader(why) ? why.getMessage() : "");
    }
  }

  private int next(String saying) {
    for (int i = 0; i < asked.length; i++) {
      InetSocketAddress address = addresses.get(i);
      String named = "leader=" + address.getHostString() + ":" + address.getPort() + " ";
      if (!asked[i] && saying.contains(named)) {
        return i;
      }
    }
    int next = (current + 1) % asked.length;
    while (asked[next] && next != current) {
      next = (next + 1) % asked.length;
    }
    return next;
  }

  /** Whether all were asked. */
  boolean isOver() {
    return asked.length == 0 || asked[current];
  }

  /**
   * Why none serves, once one has failed. A refusal says more than that others do not lead or
   * cannot be reached, but if there are such others, one of them may lead later.
   */
  IOException failure() {
    if (refusal == null || other == null) {
      return refusal == null ? other : refusal;
    }
    return new IOException(
        refusal.getMessage() + "; and of the others: " + other.getMessage(), refusal);
  }

  /** Begins anew, with the same server. */
  void clear() {
    Arrays.fill(asked, false);
    refusal = null;
    other = null;
  }
}
