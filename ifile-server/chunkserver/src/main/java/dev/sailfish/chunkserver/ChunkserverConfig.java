package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Notation;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a chunkserver can be told. The keys are in {@link ChunkserverKey}.
 *
 * <p>There is no limit of its own on the bytes of appends in flight: they are not buffered, but go
 * from the socket to their reserved place in a chunk, one block per connection at a time. What
 * memory and disk hold is limited by the tiers, and a full server says so.
 *
 * @param host what clients connect to
 * @param bind what is listened on
 * @param port of the protocol; 0 = any free one
 * @param web where the web pages are, and who may see them
 * @param metaservers where they are, not resolved; empty: works without one
 * @param storage where chunks live
 * @param sorting how they are sorted
 * @param limits of queues and connections
 * @param heartbeat how long the metaserver may keep a heartbeat waiting at most; changes of chunks
 *     are told this late
 * @param authentication how it is known who connects
 * @param tls whether links are encrypted
 */
public record ChunkserverConfig(
    String host,
    String bind,
    int port,
    WebSettings web,
    List<InetSocketAddress> metaservers,
    Storage storage,
    Sorting sorting,
    Limits limits,
    Duration heartbeat,
    Authentication authentication,
    TlsSettings tls) {
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

  /**
   * Where chunks live.
   *
   * @param memoryDirectory on a memory file system; absent: no memory tier
   * @param memoryBytes capacity of the memory tier
   * @param dataDirectories the disk tier; may be empty when there is a memory tier
   * @param growthBytes step in which chunks grow
   * @param idleRelease how long memory that no chunk uses is kept warm
   * @param keepChunks whether a stop leaves the chunks in memory to the next start
   */
  public record Storage(
      Optional<Path> memoryDirectory,
      long memoryBytes,
      List<DataDirectory> dataDirectories,
      long growthBytes,
      Duration idleRelease,
      boolean keepChunks) {}

  /**
   * How chunks are sorted.
   *
   * @param threads chunks sorted at a time
   * @param memoryBytes of all of them together
   * @param blockBytes length of sorted blocks before compression
   */
  public record Sorting(int threads, long memoryBytes, int blockBytes) {}

  /**
   * Bounds of what clients can make the server hold.
   *
   * @param ioThreads threads that serve connections
   * @param chunks chunks at a time
   * @param waitingReaders AWAIT_SORTED requests at a time
   * @param connections at a time
   * @param frameDeadline for the next byte of a block that is arriving
   * @param writeDeadline for the next byte of an answer to be taken
   */
  public record Limits(
      int ioThreads,
      int chunks,
      int waitingReaders,
      int connections,
      Duration frameDeadline,
      Duration writeDeadline) {}

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
    ChunkserverKey.ALL.refuseUnknown(settings);
    int halfTheCores = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    return new ChunkserverConfig(
        settings.isSet(ChunkserverKey.HOST)
            ? settings.get(ChunkserverKey.HOST)
            : thisHost(settings),
        settings.get(ChunkserverKey.BIND),
        settings.get(ChunkserverKey.PORT),
        WebSettings.of(settings, ChunkserverKey.SERVER),
        settings.get(ChunkserverKey.METASERVER_ADDRESS).stream().map(HostPort::unresolved).toList(),
        storage(settings),
        new Sorting(
            settings.get(ChunkserverKey.SORTER_THREADS, halfTheCores),
            settings.get(ChunkserverKey.SORTER_MEMORY),
            settings.get(ChunkserverKey.SORTED_BLOCK_SIZE).intValue()),
        new Limits(
            settings.get(ChunkserverKey.IO_THREADS, halfTheCores),
            settings.get(ChunkserverKey.CHUNKS_MAX),
            settings.get(ChunkserverKey.READERS_WAITING_MAX),
            settings.get(ChunkserverKey.CONNECTIONS_MAX),
            settings.get(ChunkserverKey.FRAME_DEADLINE),
            settings.get(ChunkserverKey.WRITE_DEADLINE)),
        settings.get(ChunkserverKey.HEARTBEAT),
        Authentication.of(settings, ChunkserverKey.SERVER),
        TlsSettings.of(settings, ChunkserverKey.SERVER, true));
  }

  private static String thisHost(Settings settings) {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw settings.wrong(
          ChunkserverKey.HOST, "must be set: this host does not know its name: " + e.getMessage());
    }
  }

  private static Storage storage(Settings settings) {
    String port = Integer.toString(settings.get(ChunkserverKey.PORT));
    Optional<Path> memory =
        settings
            .get(ChunkserverKey.MEMORY_DIR)
            .map(path -> Path.of(path.toString().replace("PORT", port)));
    List<DataDirectory> directories =
        settings.get(ChunkserverKey.DATA_DIRS).stream()
            .map(entry -> dataDirectory(settings, entry))
            .toList();
    if (memory.isEmpty() && directories.isEmpty()) {
      throw settings.wrong(
          ChunkserverKey.DATA_DIRS,
          "must name a directory when " + ChunkserverKey.MEMORY_DIR + " is none");
    }
    long growth = settings.get(ChunkserverKey.GROWTH);
    if (growth % (4 << 10) != 0) {
      throw settings.wrong(ChunkserverKey.GROWTH, "must be a multiple of 4k");
    }
    return new Storage(
        memory,
        memory.isPresent() ? settings.get(ChunkserverKey.MEMORY_SIZE) : 0,
        directories,
        growth,
        settings.get(ChunkserverKey.IDLE_RELEASE),
        settings.get(ChunkserverKey.KEEP_CHUNKS));
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
    storage
        .memoryDirectory()
        .map(path -> new Directory(segments(path), storage.memoryBytes()))
        .ifPresent(memory -> tiers.add(new TierConfig(Tier.MEMORY, List.of(memory))));
    List<Directory> disks = new ArrayList<>();
    for (DataDirectory directory : storage.dataDirectories()) {
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
        storage.growthBytes(),
        storage.idleRelease());
  }

  private static Path segments(Path directory) {
    return directory.resolve("segments");
  }

  /** What each sorter thread gets. */
  SorterConfig sorter() {
    return new SorterConfig(sorting.memoryBytes() / sorting.threads(), sorting.blockBytes());
  }

  /** Where the server's id is kept: beside the chunks that survive longest. */
  Path identityDirectory() {
    return storage.dataDirectories().isEmpty()
        ? storage.memoryDirectory().orElseThrow()
        : storage.dataDirectories().get(0).path();
  }
}
