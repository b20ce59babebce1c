package dev.sailfish.blockstore;

import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A snapshot of the store's accounting, or of one owner's part of it. Each directory's figures are
 * of one instant; different directories are read one after the other.
 *
 * @param directories in the order of the configuration, fast tiers first
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
   * @param capacityBytes the configured limit, or the owner's share of it
   * @param usedBytes bytes promised to segments that are not yet freed, or claimed by them, in
   *     whole pages; with those of owners that are not in this process, unless asked for one owner
   * @param freeBytes that can still be promised, what is pooled included
   * @param pooledBytes warm bytes, of nobody, that are taken back at once when room is needed:
   *     those of pooled segments, and those of reused segments beyond what they were promised
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
      long freeBytes,
      long pooledBytes,
      int segmentsLive,
      int segmentsPooled,
      long firstTouchedBytes,
      long reuseCount) {}

  /** Sum of the capacities of some tiers, in bytes. */
  public long capacityBytes(Tier... tiers) {
    return sum(DirectoryUsage::capacityBytes, tiers);
  }

  /** Sum of the used bytes of some tiers. */
  public long usedBytes(Tier... tiers) {
    return sum(DirectoryUsage::usedBytes, tiers);
  }

  /** Sum of the reclaimable warm bytes of some tiers. */
  public long pooledBytes(Tier... tiers) {
    return sum(DirectoryUsage::pooledBytes, tiers);
  }

  /** Sum of the bytes that can still be promised in some tiers. */
  public long freeBytes(Tier... tiers) {
    return sum(DirectoryUsage::freeBytes, tiers);
  }

  private long sum(ToLongFunction<DirectoryUsage> figure, Tier... tiers) {
    List<Tier> asked = List.of(tiers);
    return directories.stream().filter(d -> asked.contains(d.tier())).mapToLong(figure).sum();
  }
}
