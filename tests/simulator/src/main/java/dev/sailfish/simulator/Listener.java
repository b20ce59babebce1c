package dev.sailfish.simulator;

import dev.sailfish.ground.server.frame.SimulatedConnection;
import java.net.SocketAddress;

/** A server's port. */
public interface Listener {
  /**
   * Takes a connection; called as an event of the listening process.
   *
   * @param peer the client's address
   * @param output is given what the server sends; its methods are called within the server's events
   */
  SimulatedConnection accept(SocketAddress peer, SimulatedConnection.Output output);
}
