package dev.sailfish.testkit.qfs;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How a QFS for tests is made.
 *
 * @param metaservers how many addresses the metaserver has, at least one
 * @param chunkservers how many chunkservers, at least one
 * @param lease how long a read or a write lease lasts; 300 s in a real QFS
 * @param stableAfter how long LEASE_ACQUIRE with Flush-write-lease answers -16 before the chunk is
 *     stable
 * @param nanoClock the time of leases in nanoseconds, such as {@code System::nanoTime}
 */
public record QfsServerSettings(
    int metaservers,
    int chunkservers,
    Duration lease,
    Duration stableAfter,
    LongSupplier nanoClock) {

  /** One address, three chunkservers, leases of 300 s, stable at once, the system's time. */
  public static final QfsServerSettings DEFAULTS =
      new QfsServerSettings(1, 3, Duration.ofSeconds(300), Duration.ZERO, System::nanoTime);

  /** Checks the counts. */
  public QfsServerSettings {
    if (metaservers < 1 || chunkservers < 1) {
      throw new IllegalArgumentException(
          "metaservers=" + metaservers + " chunkservers=" + chunkservers + ": at least one each");
    }
  }

  /** The same with other numbers of servers. */
  public QfsServerSettings servers(int newMetaservers, int newChunkservers) {
    return new QfsServerSettings(newMetaservers, newChunkservers, lease, stableAfter, nanoClock);
  }

  /** The same with another clock for leases. */
  public QfsServerSettings clock(LongSupplier newNanoClock) {
    return new QfsServerSettings(metaservers, chunkservers, lease, stableAfter, newNanoClock);
  }

  /** The same with another wait for a stable chunk. */
  public QfsServerSettings stableAfter(Duration newStableAfter) {
    return new QfsServerSettings(metaservers, chunkservers, lease, newStableAfter, nanoClock);
  }
}
