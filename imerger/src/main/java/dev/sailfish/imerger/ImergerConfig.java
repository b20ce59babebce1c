package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What an {@link Imerger} needs to know about its surroundings.
 *
 * @param metaservers addresses of all metaservers, in any order, at least one
 * @param memoryBytes limit of all buffers and tables together; exceeded only where a single record
 *     does not fit, at least {@link #MIN_MEMORY_BYTES}
 * @param spillDirectory local directory for the runs of an external merge; made when it is needed
 * @param deadline how long a server may give no answer before it counts as unreachable, and how
 *     long a sort that is waited for may stand still
 * @param refusalPatience how long a chunkserver may refuse all connections before what it holds
 *     counts as lost; from {@code deadline} on a refusal is waited for as silence is
 * @param credentials prove to servers that the caller may read the job
 * @param network leads to the servers, and tells the time
 */
public record ImergerConfig(
    List<InetSocketAddress> metaservers,
    long memoryBytes,
    Path spillDirectory,
    Duration deadline,
    Duration refusalPatience,
    Credentials credentials,
    Network network) {
  /** The smallest memory that a merge works with, in bytes. */
  public static final long MIN_MEMORY_BYTES = 1 << 20;

  /** As patient with a refusal as with silence. */
  public ImergerConfig(
      List<InetSocketAddress> metaservers,
      long memoryBytes,
      Path spillDirectory,
      Duration deadline,
      Credentials credentials,
      Network network) {
    this(metaservers, memoryBytes, spillDirectory, deadline, deadline, credentials, network);
  }

  /** Over TCP. */
  public ImergerConfig(
      List<InetSocketAddress> metaservers,
      long memoryBytes,
      Path spillDirectory,
      Duration deadline,
      Credentials credentials) {
    this(metaservers, memoryBytes, spillDirectory, deadline, credentials, Network.SOCKETS);
  }

  /** Over TCP, for one metaserver and chunkservers that authenticate nobody. */
  public ImergerConfig(
      InetSocketAddress metaserver, long memoryBytes, Path spillDirectory, Duration deadline) {
    this(List.of(metaserver), memoryBytes, spillDirectory, deadline, Credentials.none());
  }

  /** Checks the ranges. */
  public ImergerConfig {
    metaservers = List.copyOf(metaservers);
    if (metaservers.isEmpty()) {
      throw new IllegalArgumentException("no metaserver is named");
    }
    Objects.requireNonNull(spillDirectory, "spillDirectory");
    Objects.requireNonNull(credentials, "credentials");
    Objects.requireNonNull(network, "network");
    if (memoryBytes < MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memoryBytes=" + memoryBytes + " is too small, minimum=" + MIN_MEMORY_BYTES);
    }
    if (deadline.isNegative() || deadline.isZero()) {
      throw new IllegalArgumentException("deadline=" + deadline + " is not positive");
    }
    if (refusalPatience.isNegative()) {
      throw new IllegalArgumentException("refusalPatience=" + refusalPatience + " is negative");
    }
  }
}
