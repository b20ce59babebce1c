package dev.sailfish.hadoop;

import dev.sailfish.format.CodecId;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;

/**
 * The Sailfish settings of a job: every {@code sailfish.*} key that tasks read, with its unit, default
 * and range, checked when a task starts.
 *
 * @param metaserver address of the metaserver
 * @param appenderMemoryBytes what a map task may use for the shuffle
 * @param mergerMemoryBytes what a reduce task may use for the shuffle; 0 = a quarter of its heap, at
 *     most {@link #MAX_DEFAULT_MERGER_BYTES}
 * @param chunkBytes capacity of a chunk; 0 = what the metaserver is configured to
 * @param blockBytes size of a block before compression; 0 = from memory and number of partitions
 * @param deadline of every wait for a server
 * @param codec how blocks are compressed
 */
record SailfishJob(
    InetSocketAddress metaserver,
    long appenderMemoryBytes,
    long mergerMemoryBytes,
    long chunkBytes,
    int blockBytes,
    Duration deadline,
    CodecId codec) {
  /** Address of the metaserver, host:port. */
  static final String METASERVER = "sailfish.metaserver.address";

  /** Memory of a map task for the shuffle, MiB. */
  static final String APPENDER_MEMORY = "sailfish.iappender.memory.mb";

  /** Memory of a reduce task for the shuffle, MiB; 0 = a quarter of the heap. */
  static final String MERGER_MEMORY = "sailfish.imerger.memory.mb";

  /** Capacity of a chunk, MiB; 0 = the metaserver's. */
  static final String CHUNK = "sailfish.chunk.mb";

  /** Size of a block before compression, KiB; 0 = chosen. */
  static final String BLOCK = "sailfish.iappender.block.kb";

  /** Deadline of every wait for a server, seconds. */
  static final String DEADLINE = "sailfish.client.deadline.s";

  static final String DEFAULT_METASERVER = "localhost:19850";
  static final long MAX_DEFAULT_MERGER_BYTES = 256L << 20;
  private static final int MIB = 1 << 20;

  /**
   * Reads and checks the settings.
   *
   * @throws IllegalArgumentException with key, value, range and what to change
   */
  static SailfishJob of(Configuration conf) {
    return new SailfishJob(
        address(conf.getTrimmed(METASERVER, DEFAULT_METASERVER)),
        number(conf, APPENDER_MEMORY, 64, 8, 4096, "MiB") * MIB,
        number(conf, MERGER_MEMORY, 0, 0, 65536, "MiB, 0 = a quarter of the heap") * MIB,
        number(conf, CHUNK, 0, 0, 1024, "MiB, 0 = the metaserver's default") * MIB,
        (int) number(conf, BLOCK, 0, 0, 65536, "KiB, 0 = chosen") << 10,
        Duration.ofSeconds(number(conf, DEADLINE, 120, 1, 86400, "seconds")),
        ShuffleCodecs.of(conf));
  }

  /** What the merger of this JVM may use, in bytes. */
  long mergerMemory() {
    if (mergerMemoryBytes > 0) {
      return mergerMemoryBytes;
    }
    long quarter = Runtime.getRuntime().maxMemory() / 4;
    return Math.max(4L * MIB, Math.min(quarter, MAX_DEFAULT_MERGER_BYTES));
  }

  /**
   * Whether tasks of this job run where there is no shuffle between machines: under LocalJobRunner, or
   * inside the AM (uber). Such tasks hand their map output over as local files, so stock's own
   * collector and consumer do the work.
   */
  static boolean isLocal(Configuration conf) {
    return MRConfig.LOCAL_FRAMEWORK_NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))
        || conf.getBoolean("mapreduce.task.uberized", false);
  }

  private static long number(
      Configuration conf, String key, long fallback, long minimum, long maximum, String unit) {
    String text = conf.getTrimmed(key);
    if (text == null || text.isEmpty()) {
      return fallback;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= minimum && value <= maximum) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          key + "=" + text + " is not a number: set it to " + minimum + ".." + maximum + " (" + unit
              + ")",
          e);
    }
    throw new IllegalArgumentException(
        key + "=" + text + " is out of range: set it to " + minimum + ".." + maximum + " (" + unit
            + ")");
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    int port = -1;
    if (colon > 0) {
      try {
        port = Integer.parseInt(text.substring(colon + 1));
      } catch (NumberFormatException e) {
        port = -1;
      }
    }
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException(
          METASERVER + "=" + text + " is no address: set it to host:port of the metaserver");
    }
    InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          METASERVER + "=" + text + ": the host name cannot be resolved on this machine");
    }
    return address;
  }
}
