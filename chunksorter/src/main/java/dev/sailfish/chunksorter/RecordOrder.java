package dev.sailfish.chunksorter;

import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.RecordDescriptor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The records of one run, as one {@code long} each: the number of the key ({@link KeyMapping}) in
 * the upper 33 bits, the record's offset in the run's bytes in the lower 31. Records are added in
 * the order that decides between equal keys; {@link #sort} keeps it.
 *
 * <p>Sorting is a radix sort on the numbers. Records with the same number are compared when they
 * are few, else mapped anew with a mapping of their own and sorted by that, until all are told
 * apart or equal; each round looks at bytes that were not looked at before, so time is linear in
 * the length of the keys.
 *
 * <p>The two arrays live as long as this object. Not thread-safe.
 */
final class RecordOrder {
  /** What a record takes in the arrays. */
  static final int BYTES_PER_RECORD = 2 * Long.BYTES;

  private static final int OFFSET_BITS = Long.SIZE - KeyMapping.BITS;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;
  private static final int PASSES = KeyMapping.BITS / DIGIT_BITS;

  /** Up to here insertion sort with whole keys is cheaper than mapping anew. */
  private static final int COMPARED = 16;

  /** Up to here insertion sort is cheaper than counting digits. */
  private static final int INSERTED = 48;

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final KeyMapping mapping = new KeyMapping();
  private final BufferRecordCursor left = new BufferRecordCursor();
  private final BufferRecordCursor right = new BufferRecordCursor();
  private final int[] counts = new int[PASSES * DIGITS];
  private ByteBuffer data = NOTHING;
  private int dataEnd;
  private long[] entries = new long[0];
  private long[] spare = new long[0];
  private int size;
  private boolean tagged;
  private int[] pending = new int[64];
  private int pendingSize;

  /** Begins a run whose records are in {@code data} before {@code dataEnd}. */
  void reset(ByteBuffer data, int dataEnd, int records) {
    this.data = data;
    this.dataEnd = dataEnd;
    tagged = false;
    size = 0;
    if (entries.length < records) {
      forget();
      entries = new long[records];
      spare = new long[records];
    }
  }

  /**
   * Lets go of arrays that are larger than {@code memoryBytes}, which one block may have needed.
   */
  void trim(long memoryBytes) {
    if ((long) entries.length * BYTES_PER_RECORD > memoryBytes) {
      forget();
    }
    data = NOTHING;
    left.reset(NOTHING, 0, 0);
    right.reset(NOTHING, 0, 0);
    mapping.forget();
  }

  private void forget() {
    entries = new long[0];
    spare = new long[0];
    size = 0;
  }

  /** Adds the record at {@code offset}, whose key has this number. */
  void add(long number, int offset) {
    entries[size++] = number << OFFSET_BITS | offset;
  }

  int size() {
    return size;
  }

  /** Offset of the {@code i}-th record. */
  int offset(int i) {
    return (int) (entries[i] & OFFSET_MASK);
  }

  /** Number of the key of the {@code i}-th record. */
  long number(int i) {
    return entries[i] >>> OFFSET_BITS;
  }

  /**
   * The {@code i}-th record is at another offset, and is the one at {@code place} when all have
   * been moved.
   */
  void move(int i, int place, int offset) {
    spare[place] = entries[i] & ~OFFSET_MASK | offset;
  }

  /** All records have been moved, to {@code data} before {@code dataEnd}, each behind its tag. */
  void moved(ByteBuffer data, int dataEnd) {
    this.data = data;
    this.dataEnd = dataEnd;
    tagged = true;
    long[] moved = spare;
    spare = entries;
    entries = moved;
  }

  /** Puts the records in the order of their keys. */
  void sort() throws CorruptFormatException {
    radixSort(0, size);
    sortTies();
  }

  /** The same of records that are in these buckets. */
  void sort(RecordBuckets buckets) throws CorruptFormatException {
    int first = 0;
    for (int bucket = 0; bucket < buckets.count(); bucket++) {
      int last = buckets.lastRecord(bucket);
      radixSort(first, last);
      first = last;
    }
    sortTies();
  }

  private void sortTies() throws CorruptFormatException {
    pendingSize = 0;
    pushTies(0, size);
    while (pendingSize > 0) {
      int to = pending[--pendingSize];
      int from = pending[--pendingSize];
      if (to - from <= COMPARED) {
        compareSort(from, to);
      } else {
        mapSort(from, to);
      }
    }
  }

  private void pushTies(int from, int to) {
    int start = from;
    for (int i = from + 1; i <= to; i++) {
      if (i == to || entries[i] >>> OFFSET_BITS != entries[start] >>> OFFSET_BITS) {
        if (i - start > 1) {
          push(start, i);
        }
        start = i;
      }
    }
  }

  private void push(int from, int to) {
    if (pendingSize + 2 > pending.length) {
      pending = Arrays.copyOf(pending, pending.length * 2);
    }
    pending[pendingSize++] = from;
    pending[pendingSize++] = to;
  }

  private void mapSort(int from, int to) throws CorruptFormatException {
    seek(left, from);
    mapping.start(data, left.keyOffset(), left.keyLength());
    for (int i = from + 1; i < to; i++) {
      seek(left, i);
      mapping.prefix(left.keyOffset(), left.keyLength());
    }
    if (mapping.allEqual()) {
      return;
    }
    for (int i = from; i < to; i++) {
      seek(left, i);
      mapping.range(left.keyOffset(), left.keyLength());
    }
    mapping.finish();
    map(mapping, from, to);
    if (to - from <= INSERTED) {
      insertionSort(from, to);
    } else {
      radixSort(from, to);
    }
    pushTies(from, to);
  }

  /** Gives the records from {@code from} to before {@code to} numbers of another mapping. */
  void map(KeyMapping with, int from, int to) throws CorruptFormatException {
    for (int i = from; i < to; i++) {
      seek(left, i);
      long number = with.map(left.keyOffset(), left.keyLength());
      entries[i] = number << OFFSET_BITS | entries[i] & OFFSET_MASK;
    }
  }

  private void seek(BufferRecordCursor cursor, int i) throws CorruptFormatException {
    seekOffset(cursor, offset(i));
  }

  private void seekOffset(BufferRecordCursor cursor, int offset) throws CorruptFormatException {
    int start = tagged ? RecordDescriptor.afterTag(data, offset, dataEnd) : offset;
    cursor.reset(data, start, dataEnd - start);
    cursor.next();
  }

  /** Insertion sort by whole keys. */
  private void compareSort(int from, int to) throws CorruptFormatException {
    for (int i = from + 1; i < to; i++) {
      long entry = entries[i];
      seek(right, i);
      int j = i - 1;
      while (j >= from && compareToRight(j) > 0) {
        entries[j + 1] = entries[j];
        j--;
      }
      entries[j + 1] = entry;
    }
  }

  private int compareToRight(int i) throws CorruptFormatException {
    seek(left, i);
    return KeyBytes.compare(
        data, left.keyOffset(), left.keyLength(), right.keyOffset(), right.keyLength());
  }

  /** Insertion sort by numbers. */
  private void insertionSort(int from, int to) {
    for (int i = from + 1; i < to; i++) {
      long entry = entries[i];
      int j = i - 1;
      while (j >= from && entries[j] >>> OFFSET_BITS > entry >>> OFFSET_BITS) {
        entries[j + 1] = entries[j];
        j--;
      }
      entries[j + 1] = entry;
    }
  }

  /**
   * Sorts by numbers, least significant digit first; digits that all have in common are skipped.
   */
  private void radixSort(int from, int to) {
    if (to - from < 2) {
      return;
    }
    countDigits(from, to);
    long[] source = entries;
    long[] target = spare;
    for (int pass = 0; pass < PASSES; pass++) {
      int shift = OFFSET_BITS + pass * DIGIT_BITS;
      int base = pass * DIGITS;
      int first = (int) (source[from] >>> shift) & DIGITS - 1;
      if (counts[base + first] == to - from) {
        continue;
      }
      int position = from;
      for (int digit = base; digit < base + DIGITS; digit++) {
        int count = counts[digit];
        counts[digit] = position;
        position += count;
      }
      for (int i = from; i < to; i++) {
        long entry = source[i];
        target[counts[base + ((int) (entry >>> shift) & DIGITS - 1)]++] = entry;
      }
      long[] swap = source;
      source = target;
      target = swap;
    }
    if (source != entries) {
      System.arraycopy(source, from, entries, from, to - from);
    }
  }

  private void countDigits(int from, int to) {
    Arrays.fill(counts, 0);
    for (int i = from; i < to; i++) {
      long number = entries[i] >>> OFFSET_BITS;
      counts[(int) number & DIGITS - 1]++;
      counts[DIGITS + ((int) (number >>> DIGIT_BITS) & DIGITS - 1)]++;
      counts[2 * DIGITS + (int) (number >>> 2 * DIGIT_BITS)]++;
    }
  }
}
