package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.StoreTiers;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.ground.config.StorageDirectory.DiskType;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
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
    List<StorageDirectory> dataDirectories,
    DaemonSettings daemon) {
  /** What all keys begin with. */
  public static final String PREFIX = ChunkserverKey.PREFIX;

  /** Whose segments chunks are in the block store. */
  public static final String SEGMENT_OWNER = "chunkserver";

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
            DaemonSettings.host(settings, ChunkserverKey.HOST),
            settings.get(ChunkserverKey.METASERVER_ADDRESS).stream()
                .map(HostPort::unresolved)
                .toList(),
            settings
                .get(ChunkserverKey.MEMORY_DIR)
                .map(path -> Path.of(path.toString().replace("PORT", port))),
            StorageDirectory.of(settings, ChunkserverKey.DATA_DIRS),
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

  /**
   * What the block store gets: subdirectories of the configured directories.
   *
   * @throws IOException when a data directory cannot be created
   */
  BlockStoreConfig blockStore() throws IOException {
    return new BlockStoreConfig(
        StoreTiers.of(directories()),
        List.of(new OwnerConfig(SEGMENT_OWNER, Map.of())),
        get(ChunkserverKey.GROWTH),
        get(ChunkserverKey.IDLE_RELEASE));
  }

  private List<StorageDirectory> directories() {
    List<StorageDirectory> all = new ArrayList<>();
    memoryDirectory.ifPresent(
        path -> all.add(new StorageDirectory(path, DiskType.MEM, get(ChunkserverKey.MEMORY_SIZE))));
    all.addAll(dataDirectories);
    return all;
  }

  /** What each sorter thread gets. */
  SorterConfig sorter() {
    return new SorterConfig(
        get(ChunkserverKey.SORTER_MEMORY) / threads(ChunkserverKey.SORTER_THREADS),
        get(ChunkserverKey.SORTED_BLOCK_SIZE).intValue());
  }

  /** Where a rehearsal has its scratch; absent when there is no memory tier. */
  Optional<Path> rehearsalDirectory() {
    return directories().stream()
        .filter(directory -> directory.type() == DiskType.MEM)
        .map(directory -> directory.path().resolve("rehearsal"))
        .findFirst();
  }

  /** Where the server's id is kept: beside the chunks that survive longest. */
  Path identityDirectory() {
    return StoreTiers.mostDurable(directories());
  }
}
