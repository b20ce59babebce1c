package dev.sailfish.ground.wire;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * What a client stands on: wires to servers, and the time in which it waits for them. This one is
 * TCP and the clock of this machine; a subclass may open other wires. All that a client does with
 * servers and time goes through its network, so what it does depends on nothing else. Thread-safe;
 * one may serve many clients.
 */
public class Network implements Clock {
  /** Plain TCP. */
  public static final Network SOCKETS = new Network();

  /** For subclasses; others take {@link #SOCKETS}. */
  protected Network() {}

  /**
   * Makes a wire that is not connected yet; the caller closes it.
   *
   * @param address host and port of the server, resolved
   */
  public Wire open(InetSocketAddress address) throws IOException {
    return new SocketWire(address);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }
}
