package dev.sailfish.imerger;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.order.PrintableKey;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.imerger.merge.RunCursor;
import java.io.IOException;
import java.util.Arrays;

/**
 * Decides, for one read of a range, which blocks are read and which of their records count; and
 * proves at the end that no group was split, by four keys out of all runs:
 *
 * <pre>
 *                   from                          to
 *   left out   below │ first   delivered   last │ above   left out
 * </pre>
 *
 * <p>Two of them that lie side by side must be in this order, and in two groups. Only the greatest
 * key below counts, of all runs together: a reduce call goes on from one key to the next in the
 * order, so with any other key there is one between. Keys are looked at in blocks that may hold
 * keys beside the range, and where such a block ends with the range in the index; inner blocks cost
 * nothing. Where a group is equal bytes there is nothing to prove: each key was compared.
 */
final class RangeFilter {
  private final KeyRange range;
  private final GroupOrder groups;
  private final boolean proves;
  private final BorderKey below = new BorderKey();
  private final BorderKey first = new BorderKey();
  private final BorderKey last = new BorderKey();
  private final BorderKey above = new BorderKey();

  /** A key that outlives its block, or none. */
  private static final class BorderKey {
    private byte[] bytes = new byte[0];
    private int length = -1;

    boolean isSet() {
      return length >= 0;
    }

    void set(byte[] buffer, int offset, int newLength) {
      if (bytes.length < newLength) {
        bytes = new byte[Math.max(newLength, 2 * bytes.length)];
      }
      System.arraycopy(buffer, offset, bytes, 0, newLength);
      length = newLength;
    }

    byte[] key() {
      return Arrays.copyOf(bytes, length);
    }
  }

  RangeFilter(KeyRange range, KeyOrder order) {
    this.range = range;
    groups = new GroupOrder(order, range.grouping());
    proves = !groups.isByBytes();
  }

  /** Which blocks of a run are read. */
  RunBlocks blocks(ChunkTail index, int run) throws CorruptFormatException {
    RunBlocks blocks = RunBlocks.of(index, run, range, groups);
    int next = blocks.end();
    if (proves && next < index.runStart(run + 1) && index.hasWholeKey(next)) {
      byte[] key = index.entryKey(next);
      if (range.isAbove(groups, key, 0, key.length)) {
        keepLeast(above, key, 0, key.length);
      }
    }
    return blocks;
  }

  /** Whether the key of a record that counts, in a block that is not inner, is in the range. */
  boolean holds(byte[] buffer, int offset, int length) {
    if (range.isBelow(groups, buffer, offset, length)) {
      keepGreatest(below, buffer, offset, length);
      return false;
    }
    if (range.isAbove(groups, buffer, offset, length)) {
      keepLeast(above, buffer, offset, length);
      return false;
    }
    if (range.to() != null) {
      keepGreatest(last, buffer, offset, length);
    }
    return true;
  }

  private void keepGreatest(BorderKey key, byte[] buffer, int offset, int length) {
    if (proves && (!key.isSet() || compare(key, buffer, offset, length) < 0)) {
      key.set(buffer, offset, length);
    }
  }

  private void keepLeast(BorderKey key, byte[] buffer, int offset, int length) {
    if (proves && (!key.isSet() || compare(key, buffer, offset, length) > 0)) {
      key.set(buffer, offset, length);
    }
  }

  private int compare(BorderKey key, byte[] buffer, int offset, int length) {
    return groups.keys().compare(key.bytes, 0, key.length, buffer, offset, length);
  }

  /**
   * Takes the first record that is delivered.
   *
   * @param record null: there is none, and so no group
   */
  void begin(RunCursor record) {
    if (record != null) {
      first.set(record.buffer(), record.keyOffset(), record.keyLength());
    }
  }

  /**
   * Proves that the range begins and ends between two groups, when all of it was read.
   *
   * @throws IOException when the job's comparators say otherwise
   */
  void prove(String job, int partition) throws IOException {
    if (!first.isSet()) {
      return;
    }
    String wrong = wrong(below, first);
    wrong = wrong == null ? wrong(last, above) : wrong;
    if (wrong != null) {
      throw new IOException(
          ("job=%s partition=%s piece from=%s to=%s is not whole groups: %s. The job's sort and"
                  + " grouping comparators do not agree; sailfish.reduce.work=fixed splits no"
                  + " partition")
              .formatted(job, partition, text(range.from()), text(range.to()), wrong));
    }
  }

  /** What is wrong with two keys on both sides of a border; null: nothing. */
  private String wrong(BorderKey before, BorderKey behind) {
    if (!before.isSet() || !behind.isSet()) {
      return null;
    }
    byte[] left = before.key();
    byte[] right = behind.key();
    boolean ordered = groups.compare(left, right) < 0;
    if (ordered && !groups.sameGroup(left, right)) {
      return null;
    }
    return "key %s before the border and key %s behind it are %s"
        .formatted(text(left), text(right), ordered ? "one group" : "not in order");
  }

  private static String text(byte[] key) {
    return key == null ? "none" : PrintableKey.of(key);
  }
}
