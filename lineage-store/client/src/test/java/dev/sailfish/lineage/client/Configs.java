package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Configurations of clients as users have them. */
final class Configs {
  private Configs() {}

  static StoreClientConfig of(
      List<InetSocketAddress> masters, Credentials credentials, StoreUser user) {
    return of(masters, credentials, user, Set.of("localhost", "127.0.0.1"));
  }

  static StoreClientConfig of(
      List<InetSocketAddress> masters, Credentials credentials, StoreUser user, Set<String> hosts) {
    return new StoreClientConfig(
        masters,
        Network.SOCKETS,
        credentials,
        user,
        hosts,
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        Duration.ofSeconds(60));
  }
}
