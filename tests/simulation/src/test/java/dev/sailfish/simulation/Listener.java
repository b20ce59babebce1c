package dev.sailfish.simulation;

import dev.sailfish.transport.SimulatedConnection;
import java.net.SocketAddress;

/** A server's port. */
interface Listener {
  /** Takes a connection. */
  SimulatedConnection accept(SocketAddress peer, SimulatedConnection.Output output);
}
