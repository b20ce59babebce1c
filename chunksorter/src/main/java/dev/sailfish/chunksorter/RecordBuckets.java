package dev.sailfish.chunksorter;

import dev.sailfish.format.Varint;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Copies of a run's records, each behind its tag, where records with near keys are near each other.
 *
 * <pre>
 *   upper bits of the number of the key = bucket
 *
 *   +-----------------+-----------------+-----------------+----
 *   | bucket 0        | bucket 1        | bucket 2        | …     lengths as the keys are spread,
 *   +-----------------+-----------------+-----------------+----   about BUCKET_BYTES on average
 *     tag, record, tag, record, …  in the order in which they were appended
 * </pre>
 *
 * <p>Records that are gathered in key order straight from a large chunk are read from all over it:
 * each of them waits for memory. Out of buckets they come from a megabyte at a time, which is read
 * through in order, what memory is fast at, when the first record of it is wanted. Where the next
 * records of a bucket will be written is read likewise before. So each byte is read and written
 * once more, and yet sorting 128 MiB of records of 100 bytes takes a third less time.
 *
 * <p>Use: {@link #begin}; {@link #count} for each source; {@link #layOut}; {@link #copy} for each
 * source in the same order; {@link #warm} while the records are read in the order of their keys.
 * Not thread-safe.
 */
final class RecordBuckets {
  /** A bucket fits into the second cache. */
  private static final int BUCKET_BYTES_BITS = 20;

  private static final int MAX_BUCKETS_BITS = 8;

  /** What is shorter is in the caches anyhow. */
  private static final int SHORTEST_BYTES = 4 << BUCKET_BYTES_BITS;

  /** With longer records on average, making the copies takes as long as they save. */
  private static final int LONG_RECORD_BYTES = 400;

  /** How far ahead of the writes to a bucket is read; so much of all buckets fits into a cache. */
  private static final int WARM_BYTES = 2048;

  private static final int CACHE_LINE_BYTES = 64;
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final int[] ends = new int[1 << MAX_BUCKETS_BITS];
  private final int[] positions = new int[1 << MAX_BUCKETS_BITS];
  private final int[] warmEnds = new int[1 << MAX_BUCKETS_BITS];
  private final int[] slots = new int[1 << MAX_BUCKETS_BITS];
  private ByteBuffer copies = NOTHING;
  private int shift;
  private int count;
  private int warmBuckets;
  private int warmEnd;
  private long touched;

  /** Whether sorting by way of buckets is faster, for so many records of so many bytes in all. */
  static boolean pay(long bytes, int records) {
    return bytes >= SHORTEST_BYTES
        && bytes <= Run.MAX_SCRATCH_BYTES
        && bytes / LONG_RECORD_BYTES < records;
  }

  /**
   * Begins a run.
   *
   * @param target for the copies, from 0 on; the caller's
   * @param bytes of all its records with their tags; the target has room for them
   * @param mapping that gave the keys their numbers
   */
  void begin(ByteBuffer target, int bytes, KeyMapping mapping) {
    copies = target;
    int wantedBits = Integer.SIZE - Integer.numberOfLeadingZeros(bytes >>> BUCKET_BYTES_BITS);
    int bits = Math.min(mapping.bits(), Math.min(wantedBits, MAX_BUCKETS_BITS));
    shift = mapping.bits() - bits;
    count = 1 << bits;
    Arrays.fill(ends, 0, count, 0);
    Arrays.fill(slots, 0, count, 0);
    warmBuckets = 0;
    warmEnd = 0;
  }

  /**
   * Counts the records of one source.
   *
   * @param order where they are in the order in which they lie in the source, one behind the other
   * @param first the first of them
   * @param last exclusive
   * @param end where the last one ends
   * @param tag of the source
   */
  void count(RecordOrder order, int first, int last, int end, int tag) {
    int tagLength = Varint.length(tag);
    int recordEnd = end;
    for (int i = last - 1; i >= first; i--) {
      int bucket = (int) (order.number(i) >>> shift);
      int offset = order.offset(i);
      ends[bucket] += recordEnd - offset + tagLength;
      slots[bucket]++;
      recordEnd = offset;
    }
  }

  /** Gives the buckets their places, when all records are counted. */
  void layOut() {
    int position = 0;
    int slot = 0;
    for (int bucket = 0; bucket < count; bucket++) {
      positions[bucket] = position;
      warmEnds[bucket] = position;
      position += ends[bucket];
      ends[bucket] = position;
      int records = slots[bucket];
      slots[bucket] = slot;
      slot += records;
    }
  }

  /** Copies the records that {@link #count} was called for in the same way from {@code data}. */
  void copy(RecordOrder order, int first, int last, int end, int tag, ByteBuffer data) {
    for (int i = first; i < last; i++) {
      int offset = order.offset(i);
      int length = (i + 1 < last ? order.offset(i + 1) : end) - offset;
      int bucket = (int) (order.number(i) >>> shift);
      int position = positions[bucket];
      if (position + Varint.MAX_LENGTH + length > warmEnds[bucket]) {
        warmNext(bucket, position + Varint.MAX_LENGTH + length);
      }
      int start = Varint.put(copies, position, tag);
      copies.put(start, data, offset, length);
      positions[bucket] = start + length;
      order.move(i, slots[bucket]++, position);
    }
  }

  private void warmNext(int bucket, int position) {
    int end = Math.min(position + WARM_BYTES, ends[bucket]);
    touch(warmEnds[bucket], end);
    warmEnds[bucket] = end;
  }

  /** How many buckets there are. */
  int count() {
    return count;
  }

  /** The end of a bucket, exclusive, when all are copied. */
  int lastRecord(int bucket) {
    return slots[bucket];
  }

  /** Gets the bucket of a copy from memory, unless that was done: for copies in key order. */
  void warm(int position) {
    while (position >= warmEnd) {
      int end = ends[warmBuckets++];
      if (position < end) {
        touch(warmEnd, end);
      }
      warmEnd = end;
    }
  }

  private void touch(int from, int to) {
    long sum = 0;
    for (int at = from; at < to; at += CACHE_LINE_BYTES) {
      sum += copies.get(at);
    }
    touched += sum; // so that the reads are not optimized away
  }

  /** Lets go of the buffer that the copies are in. */
  void forget() {
    copies = NOTHING;
  }
}
