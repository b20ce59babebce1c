package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import java.util.Arrays;

/** Refuses what no file can have. */
final class Limits {
  static final int LAST_MODE = 07777;
  private static final int MOST_BLOCKS = 1 << 20;

  private Limits() {}

  static void requireValid(Creation creation) throws NamespaceException {
    requireMode(creation.mode());
    if (creation.parentMode() != Creation.NO_PARENTS) {
      requireMode(creation.parentMode());
    }
    int log = creation.blockSizeLog();
    if (log < Creation.SMALLEST_BLOCK_LOG || log > Creation.LARGEST_BLOCK_LOG) {
      throw new NamespaceException(
          Reason.INVALID,
          "a block has from 2^%d to 2^%d bytes, not 2^%d"
              .formatted(Creation.SMALLEST_BLOCK_LOG, Creation.LARGEST_BLOCK_LOG, log));
    }
  }

  static void requireMode(int mode) throws NamespaceException {
    requireInRange("a mode", mode, LAST_MODE);
  }

  static void requireInRange(String what, long value, long last) throws NamespaceException {
    if (value < 0 || value > last) {
      throw new NamespaceException(
          Reason.INVALID, "%s is from 0 to %d, not %d".formatted(what, last, value));
    }
  }

  /** How many blocks a file of this length has. */
  static int blocks(long length, int blockSizeLog) throws NamespaceException {
    requireInRange("a length", length, (long) MOST_BLOCKS << blockSizeLog);
    return (int) (length + (1L << blockSizeLog) - 1 >>> blockSizeLog);
  }

  static boolean isBlock(int block) {
    return block >= 0 && block < MOST_BLOCKS;
  }

  static void requirePlaces(int[] places, int count) throws NamespaceException {
    if (places.length != count || !Arrays.stream(places).allMatch(Place::isValid)) {
      throw new NamespaceException(
          Reason.INVALID,
          "each of the %d blocks is in a tier of a worker, not in %d places: %s"
              .formatted(count, places.length, Arrays.stream(places).limit(10).boxed().toList()));
    }
  }
}
