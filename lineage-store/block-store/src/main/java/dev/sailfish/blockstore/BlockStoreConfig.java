package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.SegmentFileName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Configuration of a {@link BlockStore}; immutable and valid once constructed. An {@link
 * IllegalArgumentException} names the setting, the value and the allowed range.
 *
 * @param tiers at least one, fast ones first
 * @param owners whose segments this process serves; at least one
 * @param growthBytes step in which segments grow, in bytes; a multiple of 4096
 * @param idleRelease how long the memory tier must hold no live segment before {@link
 *     BlockStore#releaseIdle()} gives the pool back
 * @param warmBytes how much memory {@link BlockStore#warmAhead()} may make ahead in each directory
 *     in memory, but never more than a quarter of it; 0: none
 */
public record BlockStoreConfig(
    List<TierConfig> tiers,
    List<OwnerConfig> owners,
    long growthBytes,
    Duration idleRelease,
    long warmBytes) {
  public static final long DEFAULT_GROWTH_BYTES = 1L << 20;
  public static final Duration DEFAULT_IDLE_RELEASE = Duration.ofMinutes(10);
  public static final double DEFAULT_WATERMARK = 0.95;

  /** The unit in which capacities and growth steps are checked. */
  static final long PAGE_BYTES = 4096;

  private static final long MAX_GROWTH_BYTES = 1L << 30;
  private static final Duration MAX_IDLE_RELEASE = Duration.ofDays(365);

  /**
   * One tier.
   *
   * @param directories at least one
   * @param watermark fraction of a disk's total space that may be in use, by anyone; beyond it its
   *     directory takes no new bytes. Not looked at in memory
   * @param synced whether a segment that is sealed here, or moved here, survives a power failure
   *     and not only the death of the process: its content and name are forced to the device first
   */
  public record TierConfig(
      Tier tier, List<Directory> directories, double watermark, boolean synced) {
    public TierConfig {
      directories = List.copyOf(directories);
      require(!directories.isEmpty(), "tier=" + tier + " directories=[]", "must name one");
      require(
          watermark > 0 && watermark <= 1,
          "tier=" + tier + " watermark=" + watermark,
          "must be in (0, 1]");
    }

    /** A tier with the default watermark that survives the death of the process. */
    public TierConfig(Tier tier, List<Directory> directories) {
      this(tier, directories, DEFAULT_WATERMARK, false);
    }
  }

  /**
   * One directory, for this store alone; in memory one on a memory file system.
   *
   * @param path created when missing
   * @param capacityBytes how many bytes of segments it may hold
   */
  public record Directory(Path path, long capacityBytes) {
    public Directory {
      require(
          capacityBytes >= PAGE_BYTES,
          "directory=" + path + " capacityBytes=" + capacityBytes,
          "must be at least " + PAGE_BYTES);
    }
  }

  /**
   * An owner of segments.
   *
   * @param name 1 to 16 lower-case letters and digits
   * @param shares which fraction of each directory of a tier its segments may use; of a tier that
   *     is not named all of it. What is used beyond it at recovery stays. Where the shares of all
   *     owners are at most 1 together nobody can take another's room
   */
  public record OwnerConfig(String name, Map<Tier, Double> shares) {
    public OwnerConfig {
      SegmentFileName.requireOwnerName(name);
      shares = Map.copyOf(shares);
      shares.forEach(
          (tier, share) ->
              require(
                  share > 0 && share <= 1,
                  "owner=" + name + " tier=" + tier + " share=" + share,
                  "must be in (0, 1]"));
    }

    /** Its part of a directory of the tier, in bytes. */
    long limitBytes(Tier tier, long capacityBytes) {
      return (long) (capacityBytes * shares.getOrDefault(tier, 1.0));
    }
  }

  /** Makes no memory ahead. */
  public BlockStoreConfig(
      List<TierConfig> tiers, List<OwnerConfig> owners, long growthBytes, Duration idleRelease) {
    this(tiers, owners, growthBytes, idleRelease, 0);
  }

  public BlockStoreConfig {
    tiers = List.copyOf(tiers);
    owners = List.copyOf(owners);
    require(!tiers.isEmpty(), "tiers=[]", "must name one");
    require(!owners.isEmpty(), "owners=[]", "must name one");
    requireOrder(tiers);
    requireDistinct(tiers, owners);
    require(
        growthBytes >= PAGE_BYTES
            && growthBytes <= MAX_GROWTH_BYTES
            && growthBytes % PAGE_BYTES == 0,
        "growthBytes=" + growthBytes,
        "must be in [" + PAGE_BYTES + ", " + MAX_GROWTH_BYTES + "], a multiple of " + PAGE_BYTES);
    require(
        !idleRelease.isNegative() && idleRelease.compareTo(MAX_IDLE_RELEASE) <= 0,
        "idleRelease=" + idleRelease,
        "must be in [PT0S, " + MAX_IDLE_RELEASE + "]");
    require(warmBytes >= 0, "warmBytes=" + warmBytes, "must not be negative");
  }

  private static void requireOrder(List<TierConfig> tiers) {
    for (int i = 1; i < tiers.size(); i++) {
      Tier tier = tiers.get(i).tier();
      Tier before = tiers.get(i - 1).tier();
      require(tier.isBelow(before), "tier=" + tier, "must not come after tier=" + before);
    }
  }

  private static void requireDistinct(List<TierConfig> tiers, List<OwnerConfig> owners) {
    Set<Path> paths = new HashSet<>();
    for (TierConfig tier : tiers) {
      for (Directory directory : tier.directories()) {
        Path path = directory.path().toAbsolutePath().normalize();
        require(paths.add(path), "directory=" + path, "is named twice");
      }
    }
    Set<String> names = new HashSet<>();
    owners.forEach(owner -> require(names.add(owner.name()), "owner=" + owner, "is named twice"));
  }

  private static void require(boolean condition, String setting, String rule) {
    if (!condition) {
      throw new IllegalArgumentException("block store: " + setting + " " + rule);
    }
  }
}
