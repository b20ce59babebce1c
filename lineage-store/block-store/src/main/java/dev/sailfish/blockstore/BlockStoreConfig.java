package dev.sailfish.blockstore;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Configuration of a {@link BlockStore}; immutable and valid once constructed. An {@link
 * IllegalArgumentException} names the key, the value and the allowed range.
 *
 * @param memoryDirectory a directory on a memory file system that belongs to this store alone, for
 *     instance under /dev/shm; absent: no memory tier
 * @param memoryBytes capacity of the memory tier; 0 exactly when there is no memory directory
 * @param diskDirectories disk directories, each for this store alone; may be empty when there is a
 *     memory tier
 * @param growthBytes step in which segments grow, in bytes; a multiple of 4096
 * @param idleRelease how long the memory tier must hold no live segment before {@link
 *     BlockStore#releaseIdle()} gives the pool back
 * @param diskWatermark fraction of a disk's total space that may be in use, by anyone; beyond it
 *     its directory takes no new bytes
 */
public record BlockStoreConfig(
    Optional<Path> memoryDirectory,
    long memoryBytes,
    List<DiskDirectory> diskDirectories,
    long growthBytes,
    Duration idleRelease,
    double diskWatermark) {

  public static final String KEY_MEMORY_DIRECTORY = "store.memory.directory";
  public static final String KEY_MEMORY_BYTES = "store.memory.bytes";
  public static final String KEY_DISK_DIRECTORIES = "store.disk.directories";
  public static final String KEY_DISK_CAPACITY_BYTES = "store.disk.capacity.bytes";
  public static final String KEY_GROWTH_BYTES = "store.growth.bytes";
  public static final String KEY_IDLE_RELEASE = "store.idle.release";
  public static final String KEY_DISK_WATERMARK = "store.disk.watermark";

  public static final long DEFAULT_GROWTH_BYTES = 1L << 20;
  public static final Duration DEFAULT_IDLE_RELEASE = Duration.ofMinutes(10);
  public static final double DEFAULT_DISK_WATERMARK = 0.95;

  /** The unit in which capacities and growth steps are checked. */
  static final long PAGE_BYTES = 4096;

  private static final long MAX_GROWTH_BYTES = 1L << 30;
  private static final Duration MAX_IDLE_RELEASE = Duration.ofDays(365);

  /**
   * One disk directory.
   *
   * @param directory its path; created when missing
   * @param capacityBytes how many bytes of segments it may hold
   */
  public record DiskDirectory(Path directory, long capacityBytes) {
    public DiskDirectory {
      Objects.requireNonNull(directory, KEY_DISK_DIRECTORIES);
      requireRange(KEY_DISK_CAPACITY_BYTES, capacityBytes, PAGE_BYTES, Long.MAX_VALUE);
    }
  }

  public BlockStoreConfig {
    Objects.requireNonNull(memoryDirectory, KEY_MEMORY_DIRECTORY);
    Objects.requireNonNull(idleRelease, KEY_IDLE_RELEASE);
    diskDirectories = List.copyOf(diskDirectories);
    if (memoryDirectory.isPresent()) {
      requireRange(KEY_MEMORY_BYTES, memoryBytes, PAGE_BYTES, Long.MAX_VALUE);
    } else if (memoryBytes != 0) {
      throw invalid(KEY_MEMORY_BYTES, memoryBytes, "must be 0 without " + KEY_MEMORY_DIRECTORY);
    }
    if (memoryDirectory.isEmpty() && diskDirectories.isEmpty()) {
      throw invalid(KEY_DISK_DIRECTORIES, "[]", "must name one without " + KEY_MEMORY_DIRECTORY);
    }
    requireDistinct(memoryDirectory, diskDirectories);
    requireRange(KEY_GROWTH_BYTES, growthBytes, PAGE_BYTES, MAX_GROWTH_BYTES);
    if (growthBytes % PAGE_BYTES != 0) {
      throw invalid(KEY_GROWTH_BYTES, growthBytes, "must be a multiple of " + PAGE_BYTES);
    }
    if (idleRelease.isNegative() || idleRelease.compareTo(MAX_IDLE_RELEASE) > 0) {
      throw invalid(KEY_IDLE_RELEASE, idleRelease, "must be in [PT0S, " + MAX_IDLE_RELEASE + "]");
    }
    if (!(diskWatermark > 0 && diskWatermark <= 1)) {
      throw invalid(KEY_DISK_WATERMARK, diskWatermark, "must be in (0, 1]");
    }
  }

  /** A configuration with a memory tier and the default steps, times and watermark. */
  public static BlockStoreConfig of(
      Path memoryDirectory, long memoryBytes, List<DiskDirectory> diskDirectories) {
    return withDefaults(Optional.of(memoryDirectory), memoryBytes, diskDirectories);
  }

  /** A configuration without a memory tier and with the default steps, times and watermark. */
  public static BlockStoreConfig ofDisks(List<DiskDirectory> diskDirectories) {
    return withDefaults(Optional.empty(), 0, diskDirectories);
  }

  private static BlockStoreConfig withDefaults(
      Optional<Path> memoryDirectory, long memoryBytes, List<DiskDirectory> diskDirectories) {
    return new BlockStoreConfig(
        memoryDirectory,
        memoryBytes,
        diskDirectories,
        DEFAULT_GROWTH_BYTES,
        DEFAULT_IDLE_RELEASE,
        DEFAULT_DISK_WATERMARK);
  }

  /** This configuration with another growth step, in bytes. */
  public BlockStoreConfig withGrowthBytes(long bytes) {
    return new BlockStoreConfig(
        memoryDirectory, memoryBytes, diskDirectories, bytes, idleRelease, diskWatermark);
  }

  /** This configuration with another idle time. */
  public BlockStoreConfig withIdleRelease(Duration idle) {
    return new BlockStoreConfig(
        memoryDirectory, memoryBytes, diskDirectories, growthBytes, idle, diskWatermark);
  }

  /** This configuration with another disk watermark, a fraction in (0, 1]. */
  public BlockStoreConfig withDiskWatermark(double fraction) {
    return new BlockStoreConfig(
        memoryDirectory, memoryBytes, diskDirectories, growthBytes, idleRelease, fraction);
  }

  private static void requireDistinct(Optional<Path> memory, List<DiskDirectory> disks) {
    Set<Path> seen = new HashSet<>();
    memory.ifPresent(path -> seen.add(path.toAbsolutePath().normalize()));
    for (DiskDirectory disk : disks) {
      if (!seen.add(disk.directory().toAbsolutePath().normalize())) {
        throw invalid(KEY_DISK_DIRECTORIES, disk.directory(), "is named twice");
      }
    }
  }

  private static void requireRange(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw invalid(key, value, "must be in [" + min + ", " + max + "]");
    }
  }

  private static IllegalArgumentException invalid(String key, Object value, String rule) {
    return new IllegalArgumentException(key + "=" + value + " " + rule);
  }
}
