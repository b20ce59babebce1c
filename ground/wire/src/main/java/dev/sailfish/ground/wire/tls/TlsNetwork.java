package dev.sailfish.ground.wire.tls;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;

/** TLS over TCP, and the clock of this machine. Never speaks without TLS. */
public final class TlsNetwork extends Network {
  private final TlsContext context;

  private TlsNetwork(TlsContext context) {
    this.context = context;
  }

  /**
   * A network whose wires are encrypted.
   *
   * @param source where the settings come from, for messages
   * @param settings what ssl-client.xml says
   * @throws IOException when keys or trusted certificates cannot be read
   */
  public static Network open(String source, SslSettings settings) throws IOException {
    return new TlsNetwork(TlsContext.ofClient(source, settings));
  }

  @Override
  public Wire open(InetSocketAddress address) throws IOException {
    return new TlsWire(
        super.open(address), context.engine(address.getHostString(), address.getPort()), address);
  }
}
