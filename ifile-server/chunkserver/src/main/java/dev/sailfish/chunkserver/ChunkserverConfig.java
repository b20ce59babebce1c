package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.chunksorter.SorterConfig;
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
import java.util.stream.Stream;

/**
 * Everything a chunkserver can be told. Keys, units, defaults and ranges are in {@link
 * ChunkserverKey}.
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

  private static final String NONE = "none";
  private static final String CAPACITY = ":capacity=";
  private static final int MAX_PORT = 0xffff;
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

  /**
   * Reads and checks the settings.
   *
   * @param values by key; keys outside {@link #PREFIX} are not looked at
   * @throws IllegalArgumentException naming key, value and what is allowed
   */
  public static ChunkserverConfig of(Map<String, String> values) {
    Settings settings = new Settings(values);
    int port = settings.number(ChunkserverKey.PORT);
    ChunkserverConfig config =
        new ChunkserverConfig(
            settings.text(ChunkserverKey.HOST).orElseGet(ChunkserverConfig::thisHost),
            settings.text(ChunkserverKey.BIND).orElse(ChunkserverKey.BIND.defaultText()),
            port,
            new WebSettings(
                PREFIX,
                settings.number(ChunkserverKey.WEB_PORT),
                settings.text(ChunkserverKey.WEB_TOKEN_FILE).orElse("")),
            metaservers(settings),
            storage(settings, port),
            sorting(settings),
            limits(settings),
            settings.time(ChunkserverKey.HEARTBEAT),
            new Authentication(
                PREFIX,
                settings.text(ChunkserverKey.AUTHENTICATION).orElse(""),
                settings.text(ChunkserverKey.CLUSTER_SECRET_FILE).orElse("")),
            tls(settings));
    settings.requireAllRead();
    return config;
  }

  private static TlsSettings tls(Settings settings) {
    return new TlsSettings(
        PREFIX,
        settings.text(ChunkserverKey.TLS).orElse(ChunkserverKey.TLS.defaultText()),
        settings.text(ChunkserverKey.TLS_SERVER_FILE).orElse(""),
        Optional.of(settings.text(ChunkserverKey.TLS_CLIENT_FILE).orElse("")));
  }

  private static String thisHost() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          ChunkserverKey.HOST.key()
              + " must be set: this host does not know its name: "
              + e.getMessage(),
          e);
    }
  }

  private static List<InetSocketAddress> metaservers(Settings settings) {
    ChunkserverKey key = ChunkserverKey.METASERVER_ADDRESS;
    String list = settings.text(key).orElse(key.defaultText());
    if (list.equals(NONE)) {
      return List.of();
    }
    return Stream.of(list.split(",")).map(text -> address(key, text.strip())).toList();
  }

  private static InetSocketAddress address(ChunkserverKey key, String text) {
    int colon = text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (colon > 0 && port > 0 && port <= MAX_PORT) {
        return InetSocketAddress.createUnresolved(text.substring(0, colon), port);
      }
    } catch (NumberFormatException e) {
      throw Settings.invalid(key, text, "must be host:port or none: " + e.getMessage());
    }
    throw Settings.invalid(key, text, "must be host:port or none");
  }

  private static Storage storage(Settings settings, int port) {
    ChunkserverKey key = ChunkserverKey.MEMORY_DIR;
    String memory =
        settings.text(key).orElse(key.defaultText().replace("PORT", Integer.toString(port)));
    boolean hasMemory = !memory.equals(NONE);
    long memoryBytes = settings.size(ChunkserverKey.MEMORY_BYTES);
    List<DataDirectory> directories = new ArrayList<>();
    for (String entry : settings.text(ChunkserverKey.DATA_DIRS).orElse("").split(",")) {
      if (!entry.isBlank()) {
        directories.add(dataDirectory(settings, entry.strip()));
      }
    }
    if (!hasMemory && directories.isEmpty()) {
      throw Settings.invalid(
          ChunkserverKey.DATA_DIRS, "", "must name a directory when memory.dir is none");
    }
    long growthBytes = settings.size(ChunkserverKey.GROWTH_BYTES);
    if (growthBytes % (4 << 10) != 0) {
      throw Settings.invalid(ChunkserverKey.GROWTH_BYTES, growthBytes, "must be a multiple of 4k");
    }
    return new Storage(
        hasMemory ? Optional.of(path(key, memory)) : Optional.empty(),
        hasMemory ? memoryBytes : 0,
        List.copyOf(directories),
        growthBytes,
        settings.time(ChunkserverKey.IDLE_RELEASE),
        keepChunks(settings));
  }

  private static boolean keepChunks(Settings settings) {
    ChunkserverKey key = ChunkserverKey.KEEP_CHUNKS;
    String text = settings.text(key).orElse(key.defaultText());
    if (!text.equals("true") && !text.equals("false")) {
      throw Settings.invalid(key, text, "must be true or false");
    }
    return text.equals("true");
  }

  private static DataDirectory dataDirectory(Settings settings, String entry) {
    int at = entry.lastIndexOf(CAPACITY);
    if (at < 0) {
      return new DataDirectory(path(ChunkserverKey.DATA_DIRS, entry), ALL_OF_IT);
    }
    long capacity =
        settings.parseSize(ChunkserverKey.DATA_DIRS, entry.substring(at + CAPACITY.length()));
    if (at == 0 || capacity < MIB) {
      throw Settings.invalid(
          ChunkserverKey.DATA_DIRS, entry, "must be path:capacity=SIZE with at least 1m");
    }
    return new DataDirectory(path(ChunkserverKey.DATA_DIRS, entry.substring(0, at)), capacity);
  }

  private static Path path(ChunkserverKey key, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw Settings.invalid(key, text, "is no path: " + e.getMessage());
    }
  }

  private static Sorting sorting(Settings settings) {
    return new Sorting(
        settings.number(ChunkserverKey.SORTER_THREADS),
        settings.size(ChunkserverKey.SORTER_MEMORY_BYTES),
        (int) settings.size(ChunkserverKey.SORTED_BLOCK_BYTES));
  }

  private static Limits limits(Settings settings) {
    return new Limits(
        settings.number(ChunkserverKey.IO_THREADS),
        settings.number(ChunkserverKey.CHUNKS_MAX),
        settings.number(ChunkserverKey.READERS_WAITING_MAX),
        settings.number(ChunkserverKey.CONNECTIONS_MAX),
        settings.time(ChunkserverKey.FRAME_DEADLINE),
        settings.time(ChunkserverKey.WRITE_DEADLINE));
  }

  /**
   * What the block store gets: subdirectories of the configured directories.
   *
   * @throws IOException when a data directory cannot be created
   */
  BlockStoreConfig blockStore() throws IOException {
    List<BlockStoreConfig.DiskDirectory> disks = new ArrayList<>();
    for (DataDirectory directory : storage.dataDirectories()) {
      long capacity = directory.capacityBytes();
      if (capacity == ALL_OF_IT) {
        Files.createDirectories(directory.path(), ServerIdentity.OWNER_ONLY);
        capacity = Files.getFileStore(directory.path()).getTotalSpace();
      }
      disks.add(new BlockStoreConfig.DiskDirectory(segments(directory.path()), capacity));
    }
    return new BlockStoreConfig(
        storage.memoryDirectory().map(ChunkserverConfig::segments),
        storage.memoryBytes(),
        disks,
        storage.growthBytes(),
        storage.idleRelease(),
        BlockStoreConfig.DEFAULT_DISK_WATERMARK);
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
