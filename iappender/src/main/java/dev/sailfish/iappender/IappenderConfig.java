package dev.sailfish.iappender;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How an iappender works; the same for all tasks of a job.
 *
 * @param metaservers addresses of all metaservers, in any order, at least one
 * @param host host that this task runs on, by the name that racks are resolved from
 * @param user who owns the job
 * @param memoryBytes memory for partition buffers, sorting, compression and unacknowledged blocks
 *     together, in bytes; 0 = {@link #DEFAULT_MEMORY_BYTES}
 * @param blockBytes largest block of records that are not larger themselves, in bytes; 0 = chosen
 *     from the memory and the number of partitions. At most an eighth of the memory is used
 * @param windowBytes how many bytes may be sent and not acknowledged; 0 = the smaller of 8 MiB and
 *     a quarter of the memory
 * @param deadline how long one block or request is tried before the task fails
 * @param chunkBytes capacity of a chunk in raw bytes; 0 = the metaserver's default
 * @param credentials prove to servers that this task is one of the job's
 * @param network leads to the servers, and tells the time
 */
public record IappenderConfig(
    List<InetSocketAddress> metaservers,
    String host,
    String user,
    long memoryBytes,
    int blockBytes,
    int windowBytes,
    Duration deadline,
    long chunkBytes,
    Credentials credentials,
    Network network) {
  /** Memory of an iappender when nothing else is said, in bytes. */
  public static final long DEFAULT_MEMORY_BYTES = 64L << 20;

  /** The least memory that an iappender works with, in bytes. */
  public static final long MIN_MEMORY_BYTES = 1L << 20;

  private static final int MIN_BLOCK_BYTES = 1 << 10;

  /** Over TCP. */
  @SuppressWarnings("checkstyle:ParameterNumber") // one per setting, as the record itself has them
  public IappenderConfig(
      List<InetSocketAddress> metaservers,
      String host,
      String user,
      long memoryBytes,
      int blockBytes,
      int windowBytes,
      Duration deadline,
      long chunkBytes,
      Credentials credentials) {
    this(
        metaservers,
        host,
        user,
        memoryBytes,
        blockBytes,
        windowBytes,
        deadline,
        chunkBytes,
        credentials,
        Network.SOCKETS);
  }

  /** Over TCP, for one metaserver and chunkservers that authenticate nobody. */
  @SuppressWarnings("checkstyle:ParameterNumber") // one per setting, as the record itself has them
  public IappenderConfig(
      InetSocketAddress metaserver,
      String host,
      String user,
      long memoryBytes,
      int blockBytes,
      int windowBytes,
      Duration deadline,
      long chunkBytes) {
    this(
        List.of(metaserver),
        host,
        user,
        memoryBytes,
        blockBytes,
        windowBytes,
        deadline,
        chunkBytes,
        Credentials.none());
  }

  /** Checks the ranges and fills in what can be chosen here. */
  public IappenderConfig {
    metaservers = List.copyOf(metaservers);
    if (metaservers.isEmpty()) {
      throw new IllegalArgumentException("no metaserver is named");
    }
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(credentials, "credentials");
    Objects.requireNonNull(network, "network");
    if (memoryBytes == 0) {
      memoryBytes = DEFAULT_MEMORY_BYTES;
    }
    if (memoryBytes < MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memory of the iappender is too small: memoryBytes="
              + memoryBytes
              + " least="
              + MIN_MEMORY_BYTES);
    }
    if (blockBytes != 0 && blockBytes < MIN_BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "block is too small: blockBytes=" + blockBytes + " least=" + MIN_BLOCK_BYTES);
    }
    if (windowBytes < 0 || chunkBytes < 0) {
      throw new IllegalArgumentException(
          "negative size: windowBytes=" + windowBytes + " chunkBytes=" + chunkBytes);
    }
    if (deadline.isNegative() || deadline.isZero()) {
      throw new IllegalArgumentException("deadline must be positive: deadline=" + deadline);
    }
    if (windowBytes == 0) {
      windowBytes = (int) Math.min(8 << 20, memoryBytes / 4);
    }
  }
}
