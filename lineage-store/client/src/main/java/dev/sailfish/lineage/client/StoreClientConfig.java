package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.lost.LostFiles;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How a client reaches the store.
 *
 * @param masters all masters
 * @param network what connections go over
 * @param credentials with which it connects
 * @param user for whom it asks
 * @param hosts what its own host is called, in their order: by the first one the master looks for a
 *     worker there; empty: no worker is on it
 * @param bufferBytes between the application and the store, for each file that is written or read
 * @param patience how long it tries again when a worker or the master is not to be had, or no
 *     worker takes a block
 * @param lost what it does when it reads a file that is lost and can be recomputed
 */
public record StoreClientConfig(
    List<InetSocketAddress> masters,
    Network network,
    Credentials credentials,
    StoreUser user,
    Set<String> hosts,
    int bufferBytes,
    Duration patience,
    LostFiles lost) {
  /** Size of a buffer unless another one is said. */
  public static final int DEFAULT_BUFFER_BYTES = 1 << 20;

  /** Checks and copies. */
  public StoreClientConfig {
    masters = List.copyOf(masters);
    hosts = Collections.unmodifiableSet(new LinkedHashSet<>(hosts));
    if (bufferBytes < BlockTail.UNIT || bufferBytes % BlockTail.UNIT != 0) {
      throw new IllegalArgumentException(
          "a buffer is a multiple of " + BlockTail.UNIT + " bytes, not " + bufferBytes);
    }
  }

  /** A client that does what is usual when it reads a file that is lost. */
  public StoreClientConfig(
      List<InetSocketAddress> masters,
      Network network,
      Credentials credentials,
      StoreUser user,
      Set<String> hosts,
      int bufferBytes,
      Duration patience) {
    this(masters, network, credentials, user, hosts, bufferBytes, patience, LostFiles.DEFAULT);
  }

  /** The same, but for what it does when it reads a file that is lost. */
  public StoreClientConfig with(LostFiles other) {
    return new StoreClientConfig(
        masters, network, credentials, user, hosts, bufferBytes, patience, other);
  }

  /** The same, but for how long it tries again. */
  StoreClientConfig with(Duration otherPatience) {
    return new StoreClientConfig(
        masters, network, credentials, user, hosts, bufferBytes, otherPatience, lost);
  }
}
