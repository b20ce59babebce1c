package dev.sailfish.benchmarks.limited;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;

/**
 * The link of a configuration: a direction for what is read and one for what is written.
 *
 * @param readRate of what is read
 * @param writeRate of what is written
 * @param file by which processes share the link; empty for a link of this process alone
 */
record LinkKey(LinkRate readRate, LinkRate writeRate, String file) {
  /** Bytes a second in each direction; suffixes k, m and g are powers of 1024. */
  static final String RATE = "fs.limited.rate";

  /** The same for what is written, if it is another one. */
  static final String WRITE_RATE = "fs.limited.write.rate";

  /** Bytes that an idle link takes at once. */
  static final String BURST = "fs.limited.burst";

  /** Path of a local file: the processes that name the same one share the link. */
  static final String LINK = "fs.limited.link";

  private static final long DEFAULT_RATE = 100 << 20;
  private static final long DEFAULT_BURST = 1 << 20;
  private static final int TIMES_BYTES = 2 * Long.BYTES;
  private static final Map<String, ByteBuffer> TIMES = new ConcurrentHashMap<>();

  /** What the keys say. */
  static LinkKey of(Configuration conf) throws IOException {
    try {
      long burst = conf.getLongBytes(BURST, DEFAULT_BURST);
      long rate = conf.getLongBytes(RATE, DEFAULT_RATE);
      return new LinkKey(
          new LinkRate(rate, burst),
          new LinkRate(conf.getLongBytes(WRITE_RATE, rate), burst),
          conf.get(LINK, ""));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "Cannot limit a file system: set %s, %s and %s to numbers of bytes, such as 50m (%s)"
              .formatted(RATE, WRITE_RATE, BURST, e.getMessage()),
          e);
    }
  }

  /** What is read goes through it. */
  Link reads() throws IOException {
    return new Link(readRate, times(), 0, System::nanoTime);
  }

  /** What is written goes through it. */
  Link writes() throws IOException {
    return new Link(writeRate, times(), Long.BYTES, System::nanoTime);
  }

  private ByteBuffer times() throws IOException {
    ByteBuffer known = TIMES.get(file);
    if (known == null) {
      known =
          file.isEmpty()
              ? Link.ownTimes(TIMES_BYTES)
              : Link.sharedTimes(Path.of(file), TIMES_BYTES);
      ByteBuffer other = TIMES.putIfAbsent(file, known);
      known = other == null ? known : other;
    }
    return known;
  }
}
