package dev.sailfish.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/**
 * A grouping comparator that agrees with the sort order of its key kinds and is coarser: the first
 * four bytes of pairs, the upper bits of integers, the first byte of text.
 */
public final class CoarseGrouping implements RawComparator<Object>, Configurable {
  private Configuration conf;
  private KeyKind kind;

  /** For Hadoop's reflection. */
  public CoarseGrouping() {}

  /** Whether a kind has a coarser grouping. */
  public static boolean supports(KeyKind kind) {
    return switch (kind) {
      case TEXT, BYTES, INT, LONG, RAW_PAIR, PLAIN_PAIR -> true;
      default -> false;
    };
  }

  @Override
  public void setConf(Configuration configuration) {
    conf = configuration;
    kind = RandomJobSpec.of(configuration).keyKind();
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  private long group(byte[] bytes, int at, int length) {
    return switch (kind) {
      case INT -> number(bytes, at, 4) >> 24;
      case LONG -> number(bytes, at, 8) >> 56;
      case RAW_PAIR, PLAIN_PAIR -> number(bytes, at, 4);
      case BYTES -> length > 4 ? bytes[at + 4] & 0xff : -1;
      case TEXT -> {
        int prefix = WritableUtils.decodeVIntSize(bytes[at]);
        yield length > prefix ? bytes[at + prefix] & 0xff : -1;
      }
      default -> throw new IllegalStateException(kind + " has no coarser grouping");
    };
  }

  private static long number(byte[] bytes, int at, int width) {
    long value = bytes[at];
    for (int i = 1; i < width; i++) {
      value = value << 8 | bytes[at + i] & 0xff;
    }
    return value;
  }

  @Override
  public int compare(byte[] left, int leftAt, int ll, byte[] right, int rightAt, int rl) {
    return Long.compare(group(left, leftAt, ll), group(right, rightAt, rl));
  }

  /** As Hadoop's old API asks, which has both keys as objects. */
  @Override
  public int compare(Object left, Object right) {
    return Long.compare(group((Writable) left), group((Writable) right));
  }

  private long group(Writable key) {
    DataOutputBuffer bytes = new DataOutputBuffer();
    try {
      key.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("a key could not be written: " + key, e);
    }
    return group(bytes.getData(), 0, bytes.getLength());
  }
}
