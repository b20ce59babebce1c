package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;

/**
 * The chunkserver's configuration keys. Each stands for {@code sailfish.chunkserver.<name>}. Sizes
 * are written in bytes or as 64k, 512m, 10g, 1t; times in milliseconds or as 500ms, 30s, 5min, 1h.
 */
public enum ChunkserverKey {
  /** Name for clients. */
  HOST("host", "name", "this host's name", "what clients connect to"),
  /** Address to listen on. */
  BIND("bind", "address", "0.0.0.0", "address to listen on, for both ports"),
  /** Port of the protocol. */
  PORT("port", Kind.NUMBER, 19852, 0, 65535, "port for tasks; 0 = any free one"),
  /** Port of the web pages. */
  WEB_PORT(
      WebSettings.PORT_LABEL,
      Kind.NUMBER,
      19853,
      0,
      65535,
      "port of /health, /metrics, /status; 0 = any free one"),
  /** File of the token of the web pages. */
  WEB_TOKEN_FILE(
      WebSettings.TOKEN_FILE_LABEL,
      "path",
      "",
      "file with the token, mode 0600, that requests of /metrics and /status must bear, as"
          + " `Authorization: Bearer TOKEN` or as password; empty: everybody may see them"),
  /** The metaserver. */
  METASERVER_ADDRESS(
      "metaserver.address",
      "host:port",
      "localhost:19850",
      "where the metaserver is, or all of them with commas between; `none`: works without one"),
  /** Directories on disk. */
  DATA_DIRS(
      "data.dirs",
      "list",
      "",
      "directories of the disk tier, path[:capacity=SIZE] with commas between them; without a"
          + " capacity a directory may fill its file system up to 95 %"),
  /** Directory in memory. */
  MEMORY_DIR(
      "memory.dir",
      "path",
      "/dev/shm/sailfish-chunkserver-PORT",
      "directory of the memory tier, on a memory file system; `none`: no memory tier"),
  /** Capacity in memory. */
  MEMORY_BYTES(
      "memory.bytes", Kind.SIZE, 1L << 30, 1L << 20, Long.MAX_VALUE, "capacity of the memory tier"),
  /** Growth of chunks. */
  GROWTH_BYTES(
      "growth.bytes",
      Kind.SIZE,
      BlockStoreConfig.DEFAULT_GROWTH_BYTES,
      4 << 10,
      1 << 30,
      "step in which chunks grow, a multiple of 4k"),
  /** Warm memory. */
  IDLE_RELEASE(
      "idle.release",
      Kind.TIME,
      BlockStoreConfig.DEFAULT_IDLE_RELEASE.toMillis(),
      0,
      86_400_000,
      "how long memory is kept warm after the last chunk has left it"),
  /** Over a stop. */
  KEEP_CHUNKS(
      "keep.chunks",
      "true or false",
      "true",
      "whether a stop leaves the chunks in memory to the next start with the same directories;"
          + " false: they are deleted"),
  /** I/O threads. */
  IO_THREADS("io.threads", 1, 256, "threads that serve connections"),
  /** Sorter threads. */
  SORTER_THREADS("sorter.threads", 1, 256, "chunks sorted at a time"),
  /** Memory for sorting. */
  SORTER_MEMORY_BYTES(
      "sorter.memory.bytes",
      Kind.SIZE,
      256L << 20,
      1L << 20,
      Long.MAX_VALUE,
      "memory for sorting, on the heap and beside it, shared by the sorter threads"),
  /** Length of sorted blocks. */
  SORTED_BLOCK_BYTES(
      "sorted.block.bytes",
      Kind.SIZE,
      SorterConfig.MAX_SORTED_BLOCK_BYTES,
      SorterConfig.MIN_SORTED_BLOCK_BYTES,
      SorterConfig.MAX_SORTED_BLOCK_BYTES,
      "length of sorted blocks before compression: the grain of the index"),
  /** Limit of chunks. */
  CHUNKS_MAX(
      "chunks.max",
      Kind.NUMBER,
      20_000,
      1,
      200_000,
      "chunks at a time; all of them are named in one message when the server registers"),
  /** Limit of waiting readers. */
  READERS_WAITING_MAX(
      "readers.waiting.max",
      Kind.NUMBER,
      100_000,
      1,
      10_000_000,
      "requests at a time that wait for a sort"),
  /** Limit of connections. */
  CONNECTIONS_MAX("connections.max", Kind.NUMBER, 20_000, 1, 1_000_000, "connections at a time"),
  /** Patience with senders. */
  FRAME_DEADLINE(
      "frame.deadline",
      Kind.TIME,
      30_000,
      100,
      3_600_000,
      "how long the next byte of a block that is arriving may take; in this time 256k of it must"
          + " come, or all that is missing"),
  /** Patience with readers. */
  WRITE_DEADLINE(
      "write.deadline",
      Kind.TIME,
      60_000,
      100,
      3_600_000,
      "how long a client may take none of an answer's bytes"),
  /** Period of heartbeats. */
  HEARTBEAT(
      "heartbeat",
      Kind.TIME,
      1_000,
      10,
      60_000,
      "how long the metaserver may keep a heartbeat waiting at most; changes are told this late"),
  /** Whether callers are authenticated. */
  AUTHENTICATION(
      Authentication.MODE_LABEL,
      "word",
      "",
      "`secret`: who connects must prove to know the cluster secret or a job's key; `none`:"
          + " everybody may do everything; empty: secret, and without a secret file the server does"
          + " not start"),
  /** File of the cluster secret. */
  CLUSTER_SECRET_FILE(
      Authentication.FILE_LABEL,
      "path",
      "",
      "file with the secret that the cluster's daemons share, mode 0600"),
  /** Whether links are encrypted. */
  TLS(
      TlsSettings.MODE_LABEL,
      "word",
      TlsSettings.NONE,
      "`required`: TLS on both ports, and towards the metaserver and other chunkservers; `none`:"
          + " nothing is encrypted"),
  /** Keys of the server. */
  TLS_SERVER_FILE(
      TlsSettings.SERVER_FILE_LABEL,
      "path",
      "",
      "file in the format of Hadoop's ssl-server.xml: where the server's key and certificate are"),
  /** Keys of the client. */
  TLS_CLIENT_FILE(
      TlsSettings.CLIENT_FILE_LABEL,
      "path",
      "",
      "file in the format of Hadoop's ssl-client.xml: which servers this one trusts");

  /** What the names of all keys begin with. */
  public static final String PREFIX = "sailfish.chunkserver.";

  private enum Kind {
    TEXT,
    NUMBER,
    SIZE,
    TIME
  }

  private final String label;
  private final Kind kind;
  private final String unit;
  private final String defaultText;
  private final long fallback;
  private final long least;
  private final long most;
  private final String meaning;

  ChunkserverKey(String label, String unit, String defaultText, String meaning) {
    this.label = label;
    this.kind = Kind.TEXT;
    this.unit = unit;
    this.defaultText = defaultText;
    this.fallback = 0;
    this.least = 0;
    this.most = 0;
    this.meaning = meaning;
  }

  ChunkserverKey(String label, Kind kind, long fallback, long least, long most, String meaning) {
    this.label = label;
    this.kind = kind;
    this.unit =
        switch (kind) {
          case SIZE -> "size";
          case TIME -> "time";
          default -> "number";
        };
    this.fallback = fallback;
    this.least = least;
    this.most = most;
    this.meaning = meaning;
    this.defaultText = written(fallback);
  }

  /** A number of threads. */
  ChunkserverKey(String label, int least, int most, String meaning) {
    this.label = label;
    this.kind = Kind.NUMBER;
    this.unit = "number";
    this.defaultText = "half the cores";
    this.fallback = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    this.least = least;
    this.most = most;
    this.meaning = meaning;
  }

  /** The whole key, as users write it. */
  public String key() {
    return PREFIX + label;
  }

  /** What its values are: number, size, time, or what a text means. */
  public String unit() {
    return unit;
  }

  /** The value when none is given, as users would write it or in words; may be empty. */
  public String defaultText() {
    return defaultText;
  }

  /** The smallest and the largest value; empty for texts. */
  public String range() {
    if (kind == Kind.TEXT) {
      return "";
    }
    return written(least) + ".." + (most == Long.MAX_VALUE ? "" : written(most));
  }

  /** What it is for. */
  public String meaning() {
    return meaning;
  }

  /** The number, bytes or milliseconds when none are given. */
  long fallback() {
    return fallback;
  }

  /** The smallest number, bytes or milliseconds. */
  long least() {
    return least;
  }

  /** The largest number, bytes or milliseconds. */
  long most() {
    return most;
  }

  private String written(long value) {
    return switch (kind) {
      case SIZE -> inUnits(value, 1024, "", "k", "m", "g");
      case TIME -> value % 1000 == 0 ? inUnits(value / 1000, 60, "s", "min", "h") : value + "ms";
      default -> Long.toString(value);
    };
  }

  private static String inUnits(long value, int step, String... units) {
    int unit = 0;
    long figure = value;
    while (figure != 0 && figure % step == 0 && unit < units.length - 1) {
      figure /= step;
      unit++;
    }
    return figure + units[unit];
  }
}
