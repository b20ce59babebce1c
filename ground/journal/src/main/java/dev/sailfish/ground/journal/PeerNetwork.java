package dev.sailfish.ground.journal;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * How peers reach each other: what a journal asks over a connection comes out of {@link
 * Journal#receive} of the other side, and its answer goes back. The peer that is reached must be
 * sure that a peer of the same cluster asks. Thread-safe.
 */
public interface PeerNetwork {
  /**
   * Connects, and waits for that.
   *
   * @param address not resolved: it is looked up for each connection, because addresses change
   * @throws IOException when it cannot be reached in time; it is a ConnectException, or has one as
   *     its cause, when the host answers that nothing listens there
   */
  PeerConnection open(InetSocketAddress address) throws IOException;
}
