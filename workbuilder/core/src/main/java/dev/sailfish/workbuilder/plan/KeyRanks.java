package dev.sailfish.workbuilder.plan;

import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.tail.IndexSummary;
import java.util.Arrays;

/**
 * The index entries of one partition, of all runs together, in key order. The first key of each
 * entry gets a <em>rank</em>, keys of one group the same one; from there on all is done with ranks.
 *
 * <pre>
 *   run 1     |----- a -----|---- b ----|--- c ---------       an entry reaches to the first key of
 *   run 2        |-- d --|------- e --------|----- f --        the next one of its run, or to the
 *   ranks     0  1       2  3           4   5                  end
 * </pre>
 *
 * <p>An entry is expected where it begins, so that sums over ranks are a difference of two numbers.
 * Index entries count losing attempts too: expected records and bytes are scaled to what the
 * winners wrote, as if losers were spread evenly. Not thread-safe.
 */
final class KeyRanks {
  /** With fewer entries of a run it is hardly known where in it keys are. */
  private static final int FEWEST_ENTRIES = 4;

  private final GroupOrder order;
  private final long winnerBytes;
  private final byte[][] keys;
  private final boolean[] goesOn;
  private final long[] records;
  private final long[] bytes;
  private int entries;

  private final int[] ranks;
  private final byte[][] firstKeys;
  private final long[] ownBytes;
  private final long[] recordsBefore;
  private final long[] bytesBefore;

  /**
   * Ranks a partition's entries.
   *
   * @param data whose chunks are all known
   * @throws IllegalStateException when the index does not fit to the winners or to the order
   * @throws RuntimeException that a comparator has thrown
   */
  KeyRanks(PartitionData data, GroupOrder order) {
    this.order = order;
    winnerBytes = data.rawBytes();
    int most = data.chunks().stream().mapToInt(chunk -> chunk.entries().size()).sum();
    keys = new byte[most][];
    goesOn = new boolean[most + 1];
    records = new long[most];
    bytes = new long[most];
    data.chunks().forEach(this::add);
    ranks = new int[entries];
    firstKeys = new byte[entries][];
    int count = rank(sorted());
    ownBytes = new long[count];
    recordsBefore = new long[count + 1];
    bytesBefore = new long[count + 1];
    sumUp(data);
  }

  /** Whether a key may be longer than the index says. */
  private static boolean isCut(byte[] key) {
    return key.length >= RunDescriptor.MAX_KEY_LENGTH;
  }

  /**
   * Takes over a chunk's entries. In the order of bytes a cut key is as good a border as any; the
   * comparators of a job cannot take it: there such an entry, like one of which the server has no
   * key, is added to the one before it in its run, and the first of a run begins, without a key,
   * before all others.
   */
  private void add(ChunkIndex chunk) {
    int run = -1;
    for (IndexSummary.Entry entry : chunk.entries()) {
      byte[] key = entry.key();
      boolean usable = key != null && (order.isByBytes() || !isCut(key));
      boolean first = entry.run() != run;
      run = entry.run();
      if (usable || first) {
        goesOn[entries] = !first;
        keys[entries++] = usable ? key : null;
      }
      records[entries - 1] += entry.records();
      bytes[entries - 1] += entry.rawBytes();
    }
  }

  /** Entries in the order of their first keys; which of equal ones is first does not matter. */
  private int[] sorted() {
    long[] prefixes = new long[entries];
    int[] from = new int[entries];
    for (int entry = 0; entry < entries; entry++) {
      from[entry] = entry;
      if (order.keys().comparator() == null && keys[entry] != null) {
        prefixes[entry] = KeyEncoding.prefix(keys[entry], 0, keys[entry].length);
      }
    }
    int[] to = new int[entries];
    for (int width = 1; width < entries; width *= 2) {
      for (int low = 0; low < entries; low += 2 * width) {
        merge(prefixes, from, to, low, width);
      }
      int[] merged = to;
      to = from;
      from = merged;
    }
    return from;
  }

  private void merge(long[] prefixes, int[] from, int[] to, int low, int width) {
    int middle = Math.min(low + width, entries);
    int high = Math.min(middle + width, entries);
    int left = low;
    int right = middle;
    for (int at = low; at < high; at++) {
      boolean takesLeft =
          right == high || left < middle && compare(prefixes, from[left], from[right]) <= 0;
      to[at] = takesLeft ? from[left++] : from[right++];
    }
  }

  /** Equal keys of a comparator are put in the order of their bytes: chunks may come in any. */
  private int compare(long[] prefixes, int left, int right) {
    if (prefixes[left] != prefixes[right]) {
      return Long.compareUnsigned(prefixes[left], prefixes[right]);
    }
    byte[] leftKey = keys[left];
    byte[] rightKey = keys[right];
    if (leftKey == null || rightKey == null) {
      return Boolean.compare(leftKey != null, rightKey != null);
    }
    int compared = order.compare(leftKey, rightKey);
    return compared != 0 ? compared : Arrays.compareUnsigned(leftKey, rightKey);
  }

  /** Gives each entry its rank and each rank its first key. Returns how many ranks there are. */
  private int rank(int[] sorted) {
    int last = -1;
    for (int entry : sorted) {
      byte[] key = keys[entry];
      if (last < 0 || firstKeys[last] == null) {
        last = 0;
        firstKeys[last] = key;
      } else if (!order.sameGroup(firstKeys[last], key)) {
        firstKeys[++last] = key;
      }
      ranks[entry] = last;
    }
    return last + 1;
  }

  private void sumUp(PartitionData data) {
    int count = ownBytes.length;
    for (int entry = 0; entry < entries; entry++) {
      int rank = ranks[entry];
      recordsBefore[rank + 1] += records[entry];
      bytesBefore[rank + 1] += bytes[entry];
      if (goesOn[entry + 1] && ranks[entry + 1] < rank) {
        throw new IllegalStateException("its index is not in the order of the keys");
      }
      boolean alike = goesOn[entry + 1] && ranks[entry + 1] == rank && keys[entry] != null;
      ownBytes[rank] += alike && !isCut(keys[entry]) ? bytes[entry] : 0;
    }
    for (int rank = 0; rank < count; rank++) {
      recordsBefore[rank + 1] += recordsBefore[rank];
      bytesBefore[rank + 1] += bytesBefore[rank];
    }
    long allRecords = recordsBefore[count];
    long allBytes = bytesBefore[count];
    if (allBytes < winnerBytes) {
      throw new IllegalStateException(
          "its index has " + allBytes + " bytes, of " + winnerBytes + " that winners wrote");
    }
    for (int rank = 0; rank < count; rank++) {
      recordsBefore[rank + 1] = scaled(recordsBefore[rank + 1], allRecords, data.records());
      bytesBefore[rank + 1] = scaled(bytesBefore[rank + 1], allBytes, winnerBytes);
      ownBytes[rank] = scaled(ownBytes[rank], allBytes, winnerBytes);
    }
  }

  private static long scaled(long part, long all, long ofWinners) {
    return part == all ? ofWinners : (long) ((double) part / all * ofWinners);
  }

  /** How many ranks there are. */
  int count() {
    return ownBytes.length;
  }

  /**
   * Whether most bytes are in runs of so few entries that borders would be a guess, and a range
   * nearly all of each run.
   */
  boolean isCoarse() {
    long coarse = 0;
    long all = 0;
    int end;
    for (int first = 0; first < entries; first = end) {
      long run = bytes[first];
      for (end = first + 1; end < entries && goesOn[end]; end++) {
        run += bytes[end];
      }
      all += run;
      coarse += end - first < FEWEST_ENTRIES ? run : 0;
    }
    return coarse > all / 2;
  }

  /** The first key of a rank. */
  byte[] firstKey(int rank) {
    return firstKeys[rank];
  }

  /** Expected bytes of entries that hold nothing but the first key of a rank, or its group. */
  long ownBytes(int rank) {
    return ownBytes[rank];
  }

  /** Expected records of ranks, up to {@code to}, exclusive. */
  long records(int from, int to) {
    return recordsBefore[to] - recordsBefore[from];
  }

  /** Expected bytes of ranks, up to {@code to}, exclusive. */
  long bytes(int from, int to) {
    return bytesBefore[to] - bytesBefore[from];
  }

  /**
   * The farthest end of ranks from {@code from} on, up to {@code to}, with so many bytes at most.
   */
  int end(int from, int to, long mostBytes) {
    int low = from + 1;
    int high = to;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (bytes(from, middle) <= mostBytes) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * The border before a rank: its first key, or what follows the key before it when that one is to
   * be alone, being heavier than the target.
   */
  byte[] border(int rank, long target) {
    byte[] before = firstKeys[rank - 1];
    return order.isByBytes() && ownBytes[rank - 1] > target
        ? Arrays.copyOf(before, before.length + 1)
        : firstKeys[rank];
  }

  /**
   * The most bytes that each piece may have: those of all entries that touch it, of losers too.
   *
   * @param starts of pieces, ascending, from 0; the last one is the end
   */
  long[] mostBytes(int[] starts) {
    int pieces = starts.length - 1;
    int[] pieceOf = new int[count()];
    for (int piece = 0; piece < pieces; piece++) {
      Arrays.fill(pieceOf, starts[piece], starts[piece + 1], piece);
    }
    long[] most = new long[pieces + 1];
    for (int entry = 0; entry < entries; entry++) {
      int last = goesOn[entry + 1] ? pieceOf[ranks[entry + 1]] : pieces - 1;
      most[pieceOf[ranks[entry]]] += bytes[entry];
      most[last + 1] -= bytes[entry];
    }
    for (int piece = 0; piece < pieces; piece++) {
      most[piece + 1] += most[piece];
      most[piece] = Math.min(most[piece], winnerBytes);
    }
    return most;
  }
}
