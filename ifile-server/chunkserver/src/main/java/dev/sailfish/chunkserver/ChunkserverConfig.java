package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Notation;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a chunkserver can be told; immutable and checked.
 *
 * <p>There is no limit of its own on the bytes of appends in flight: they are not buffered, but go
 * from the socket to their reserved place in a chunk, one block per connection at a time. What
 * memory and disk hold is limited by the tiers, and a full server says so.
 *
 * @param settings the values of all {@link ChunkserverKey}s, which {@link #get} gives; beside them
 *     what takes more than one key, or more than reading
 * @param host what clients connect to
 * @param metaservers where they are, not resolved; empty: works without one
 * @param memoryDirectory on a memory file system; absent: no memory tier
 * @param dataDirectories the disk tier; may be empty when there is a memory tier
 * @param daemon what all daemons are told
 */
public record ChunkserverConfig(
    Settings settings,
    String host,
    List<InetSocketAddress> metaservers,
    Optional<Path> memoryDirectory,
    List<DataDirectory> dataDirectories,
    DaemonSettings daemon) {
  /** What all keys begin with. */
  public static final String PREFIX = ChunkserverKey.PREFIX;

  /** Capacity of a data directory that may use its whole file system, up to the watermark. */
  public static final long ALL_OF_IT = 0;

  /** Whose segments chunks are in the block store. */
  static final String SEGMENT_OWNER = "chunkserver";

  private static final String CAPACITY = ":capacity=";
  private static final long MIB = 1L << 20;

  /**
   * A directory on disk.
   *
   * @param path created when missing
   * @param capacityBytes how much of it may be used, or {@link #ALL_OF_IT}
   */
  public record DataDirectory(Path path, long capacityBytes) {}

  /** Reads settings that have no place; see {@link #of(Settings)}. */
  public static ChunkserverConfig of(Map<String, String> settings) {
    return of(Settings.of(settings));
  }

  /**
   * Reads and checks the settings. Those that do not begin with {@link #PREFIX} belong to somebody
   * else.
   *
   * @throws IllegalArgumentException naming key, value and what is allowed
   */
  public static ChunkserverConfig of(Settings settings) {
    ChunkserverKey.ALL.check(settings);
    String port = Integer.toString(settings.get(ChunkserverKey.PORT));
    ChunkserverConfig config =
        new ChunkserverConfig(
            settings,
            settings.isSet(ChunkserverKey.HOST)
                ? settings.get(ChunkserverKey.HOST)
                : thisHost(settings),
            settings.get(ChunkserverKey.METASERVER_ADDRESS).stream()
                .map(HostPort::unresolved)
                .toList(),
            settings
                .get(ChunkserverKey.MEMORY_DIR)
                .map(path -> Path.of(path.toString().replace("PORT", port))),
            settings.get(ChunkserverKey.DATA_DIRS).stream()
                .map(entry -> dataDirectory(settings, entry))
                .toList(),
            DaemonSettings.of(settings, ChunkserverKey.SERVER, true));
    if (config.memoryDirectory.isEmpty() && config.dataDirectories.isEmpty()) {
      throw settings.wrong(
          ChunkserverKey.DATA_DIRS,
          "must name a directory when " + ChunkserverKey.MEMORY_DIR + " is none");
    }
    if (settings.get(ChunkserverKey.GROWTH) % (4 << 10) != 0) {
      throw settings.wrong(ChunkserverKey.GROWTH, "must be a multiple of 4k");
    }
    return config;
  }

  /** The value of a key, or its default. */
  public <T> T get(Key<T> key) {
    return settings.get(key);
  }

  /** The number of threads that a key says, or half as many as there are cores. */
  int threads(Key<Integer> key) {
    return settings.get(key, Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
  }

  private static String thisHost(Settings settings) {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw settings.wrong(
          ChunkserverKey.HOST, "must be set: this host does not know its name: " + e.getMessage());
    }
  }

  private static DataDirectory dataDirectory(Settings settings, String entry) {
    int at = entry.lastIndexOf(CAPACITY);
    long capacity = at < 0 ? ALL_OF_IT : Notation.size(entry.substring(at + CAPACITY.length()));
    try {
      if (at < 0 || at > 0 && capacity >= MIB) {
        return new DataDirectory(Path.of(at < 0 ? entry : entry.substring(0, at)), capacity);
      }
    } catch (InvalidPathException e) {
      throw settings.wrong(ChunkserverKey.DATA_DIRS, "is not a path: " + e.getMessage());
    }
    throw settings.wrong(
        ChunkserverKey.DATA_DIRS,
        "must be path:capacity=SIZE with a size in 1m.., as 128m, 1g or 2t: '" + entry + "'");
  }

  /**
   * What the block store gets: subdirectories of the configured directories.
   *
   * @throws IOException when a data directory cannot be created
   */
  BlockStoreConfig blockStore() throws IOException {
    List<TierConfig> tiers = new ArrayList<>();
    memoryDirectory
        .map(path -> new Directory(segments(path), get(ChunkserverKey.MEMORY_SIZE)))
        .ifPresent(memory -> tiers.add(new TierConfig(Tier.MEMORY, List.of(memory))));
    List<Directory> disks = new ArrayList<>();
    for (DataDirectory directory : dataDirectories) {
      long capacity = directory.capacityBytes();
      if (capacity == ALL_OF_IT) {
        Files.createDirectories(directory.path(), ServerIdentity.OWNER_ONLY);
        capacity = Files.getFileStore(directory.path()).getTotalSpace();
      }
      disks.add(new Directory(segments(directory.path()), capacity));
    }
    if (!disks.isEmpty()) {
      tiers.add(new TierConfig(Tier.DISK, disks));
    }
    return new BlockStoreConfig(
        tiers,
        List.of(new OwnerConfig(SEGMENT_OWNER, Map.of())),
        get(ChunkserverKey.GROWTH),
        get(ChunkserverKey.IDLE_RELEASE));
  }

  private static Path segments(Path directory) {
    return directory.resolve("segments");
  }

  /** What each sorter thread gets. */
  SorterConfig sorter() {
    return new SorterConfig(
        get(ChunkserverKey.SORTER_MEMORY) / threads(ChunkserverKey.SORTER_THREADS),
        get(ChunkserverKey.SORTED_BLOCK_SIZE).intValue());
  }

  /** Where the server's id is kept: beside the chunks that survive longest. */
  Path identityDirectory() {
    return dataDirectories.isEmpty()
        ? memoryDirectory.orElseThrow()
        : dataDirectories.get(0).path();
  }
}
