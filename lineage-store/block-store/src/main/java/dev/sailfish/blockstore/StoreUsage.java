package dev.sailfish.blockstore;

import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A snapshot of the store's accounting. Each directory's figures are of one instant; different
 * directories are read one after the other.
 *
 * @param directories the memory directory first (when there is one), then the disk directories in
 *     the order of the configuration
 */
public record StoreUsage(List<DirectoryUsage> directories) {
  public StoreUsage {
    directories = List.copyOf(directories);
  }

  /**
   * Accounting of one directory; {@code usedBytes + pooledBytes <= capacityBytes} always, unless a
   * store was reopened with a capacity below what it recovered.
   *
   * @param tier the directory's tier
   * @param directory its path
   * @param capacityBytes the configured limit
   * @param usedBytes bytes promised to segments that are not yet freed, or claimed by them, in
   *     whole pages
   * @param pooledBytes warm bytes that are taken back at once when room is needed: those of pooled
   *     segments, and those of reused segments beyond what they were promised
   * @param segmentsLive segments not yet freed, deleted ones that readers still hold included
   * @param segmentsPooled freed segments that wait for reuse
   * @param firstTouchedBytes bytes of fresh pages written since the store was opened
   * @param reuseCount allocations served from the pool since the store was opened
   */
  public record DirectoryUsage(
      Tier tier,
      Path directory,
      long capacityBytes,
      long usedBytes,
      long pooledBytes,
      int segmentsLive,
      int segmentsPooled,
      long firstTouchedBytes,
      long reuseCount) {
    /** Bytes that can still be promised: what is neither used nor pooled, and what is pooled. */
    public long freeBytes() {
      return Math.max(0, capacityBytes - usedBytes);
    }
  }

  /** Sum of the configured capacities of a tier, in bytes. */
  public long capacityBytes(Tier tier) {
    return sum(tier, DirectoryUsage::capacityBytes);
  }

  /** Sum of the used bytes of a tier. */
  public long usedBytes(Tier tier) {
    return sum(tier, DirectoryUsage::usedBytes);
  }

  /** Sum of the reclaimable warm bytes of a tier. */
  public long pooledBytes(Tier tier) {
    return sum(tier, DirectoryUsage::pooledBytes);
  }

  /** Sum of the bytes that can still be promised in a tier. */
  public long freeBytes(Tier tier) {
    return sum(tier, DirectoryUsage::freeBytes);
  }

  private long sum(Tier tier, ToLongFunction<DirectoryUsage> figure) {
    return directories.stream().filter(d -> d.tier() == tier).mapToLong(figure).sum();
  }
}
