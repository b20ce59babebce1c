package dev.sailfish.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Sums over the index of one SORTED chunk, at a grain that the asker chooses: how many records and
 * bytes there are from which key on. Sums over a chunk are exact.
 *
 * <pre>
 *   answer:  part | part | ...         one part per chunk, or some when a chunk does not fit
 *
 *   part      0          8       12     16      20        28          36       40
 *            +----------+-------+------+-------+---------+-----------+--------+-----------+
 *            | chunk id | first | next | index | records | raw bytes | entries| entry ... |
 *            +----------+-------+------+-------+---------+-----------+--------+-----------+
 *   entry     0     4         12          20           22
 *            +-----+---------+-----------+------------+-----+
 *            | run | records | raw bytes | key length | key |
 *            +-----+---------+-----------+------------+-----+
 * </pre>
 *
 * <p>A part sums up the entries of the index from {@code first} to before {@code next}; {@code
 * index} is how many there are, {@code records} and {@code raw bytes} those of the whole chunk, of
 * winning and losing attempts alike, as in its footer. An entry sums up entries of the index that
 * follow each other in one run, as few as have the bytes that were asked for, the run's last ones
 * fewer; never a part of one. Its key is the first of them, cut to {@link ChunkTail#MAX_KEY_LENGTH}
 * bytes: a lower bound of all keys in it; the first key of the run's next entry is an upper one.
 *
 * <p>Keys are empty where servers have none. In a chunk with {@link Ordering#COMPARATOR}, whose
 * runs are single blocks, an entry goes over several runs and names the first. In an encrypted
 * chunk with {@link Ordering#NORMALIZED} the keys of the index are encrypted as one: who needs them
 * and has the job's key takes the chunk's tail.
 *
 * <p>Not thread-safe while answers are read.
 */
public final class IndexSummary {
  private static final int FIRST_OFFSET = 8;
  private static final int NEXT_OFFSET = 12;
  private static final int INDEX_OFFSET = 16;
  private static final int RECORDS_OFFSET = 20;
  private static final int RAW_BYTES_OFFSET = 28;
  private static final int ENTRIES_OFFSET = 36;
  private static final int PART_LENGTH = 40;
  private static final int ENTRY_RECORDS = 4;
  private static final int ENTRY_RAW_BYTES = 12;
  private static final int ENTRY_KEY_LENGTH = 20;
  private static final int ENTRY_LENGTH = 22;
  private static final byte[] NO_KEY = {};

  /** The least room that {@link #write} needs to get on, in bytes. */
  public static final int MIN_ROOM = PART_LENGTH + ENTRY_LENGTH + ChunkTail.MAX_KEY_LENGTH;

  private final long chunk;
  private final long records;
  private final long rawBytes;
  private final int indexEntries;
  private final List<Entry> entries = new ArrayList<>();
  private int next;

  /**
   * Some blocks of a chunk.
   *
   * @param run that they are in
   * @param key the first of them, cut; empty when the server has no keys; not to be changed
   * @param records in them
   * @param rawBytes of them before compression
   */
  public record Entry(int run, byte[] key, long records, long rawBytes) {}

  private IndexSummary(ByteBuffer bytes, int part) {
    chunk = bytes.getLong(part);
    indexEntries = bytes.getInt(part + INDEX_OFFSET);
    records = bytes.getLong(part + RECORDS_OFFSET);
    rawBytes = bytes.getLong(part + RAW_BYTES_OFFSET);
  }

  /** Id of the chunk. */
  public long chunk() {
    return chunk;
  }

  /** Records of the chunk, of winning and losing attempts alike. */
  public long records() {
    return records;
  }

  /** Bytes of the chunk's blocks before compression. */
  public long rawBytes() {
    return rawBytes;
  }

  /** Run by run, in the order of the keys. */
  public List<Entry> entries() {
    return Collections.unmodifiableList(entries);
  }

  /**
   * Writes a part at the buffer's position, as far as there is room, and moves the position behind
   * it.
   *
   * @param first entry of the index to begin with
   * @param bytesPerEntry how many bytes before compression an entry shall sum up, at least;
   *     unsigned
   * @param out big-endian, with room for {@link #MIN_ROOM} at least
   * @return the entry of the index to go on with; {@link ChunkTail#entries} when the chunk is done
   */
  public static int write(
      ChunkTail tail, long chunk, int first, long bytesPerEntry, ByteBuffer out) {
    int part = out.position();
    out.position(part + PART_LENGTH);
    int count = 0;
    int next = first;
    while (next < tail.entries() && out.remaining() >= ENTRY_LENGTH + ChunkTail.MAX_KEY_LENGTH) {
      next = writeEntry(tail, next, bytesPerEntry, out);
      count++;
    }
    out.putLong(part, chunk);
    out.putInt(part + FIRST_OFFSET, first);
    out.putInt(part + NEXT_OFFSET, next);
    out.putInt(part + INDEX_OFFSET, tail.entries());
    out.putLong(part + RECORDS_OFFSET, tail.records());
    out.putLong(part + RAW_BYTES_OFFSET, tail.rawBytes());
    out.putInt(part + ENTRIES_OFFSET, count);
    return next;
  }

  private static int writeEntry(ChunkTail tail, int first, long bytesPerEntry, ByteBuffer out) {
    boolean overRuns = tail.ordering() == Ordering.COMPARATOR;
    int end = overRuns ? tail.entries() : tail.runStart(tail.entryRun(first) + 1);
    long records = 0;
    long rawBytes = 0;
    int next = first;
    do {
      records += tail.entryRecords(next);
      rawBytes += tail.entryRawLength(next);
      next++;
    } while (next < end && Long.compareUnsigned(rawBytes, bytesPerEntry) < 0);
    byte[] key = tail.hasKeys() ? tail.entryKey(first) : NO_KEY;
    out.putInt(tail.entryRun(first));
    out.putLong(records);
    out.putLong(rawBytes);
    out.putShort((short) key.length);
    out.put(key);
    return next;
  }

  /**
   * Reads all parts of an answer.
   *
   * @param bytes big-endian, from its position to its limit
   * @param summaries of the answers before it; the last one goes on if this answer goes on with it
   * @throws CorruptFormatException when it does not follow what was read, or does not add up
   */
  public static void read(ByteBuffer bytes, List<IndexSummary> summaries)
      throws CorruptFormatException {
    int at = bytes.position();
    while (at < bytes.limit()) {
      if (bytes.limit() - at < PART_LENGTH) {
        throw malformed("part is cut off", at);
      }
      int first = bytes.getInt(at + FIRST_OFFSET);
      IndexSummary summary = new IndexSummary(bytes, at);
      if (first == 0) {
        requireComplete(summaries, at);
        summaries.add(summary);
      } else {
        IndexSummary last = summaries.isEmpty() ? summary : summaries.get(summaries.size() - 1);
        if (!last.goesOn(summary, first)) {
          throw malformed("part does not follow the one before it: first=" + first, at);
        }
        summary = last;
      }
      at = summary.readEntries(bytes, at);
    }
  }

  /** A summary goes on when others have come only as the last one. */
  private static void requireComplete(List<IndexSummary> summaries, int at)
      throws CorruptFormatException {
    if (!summaries.isEmpty() && !summaries.get(summaries.size() - 1).isComplete()) {
      throw malformed("part begins another chunk before the end of the last one", at);
    }
  }

  private boolean goesOn(IndexSummary part, int first) {
    return first == next
        && !isComplete()
        && part.chunk == chunk
        && part.indexEntries == indexEntries
        && part.records == records
        && part.rawBytes == rawBytes;
  }

  /** Whether all entries of the chunk are there. */
  public boolean isComplete() {
    return next == indexEntries;
  }

  private int readEntries(ByteBuffer bytes, int part) throws CorruptFormatException {
    int end = bytes.getInt(part + NEXT_OFFSET);
    int count = bytes.getInt(part + ENTRIES_OFFSET);
    boolean empty = count == 0 && end == 0 && indexEntries == 0;
    if (!empty && (count < 1 || end > indexEntries || count > (long) end - next)) {
      throw malformed("part is out of bounds: next=%s entries=%s".formatted(end, count), part);
    }
    int at = part + PART_LENGTH;
    for (int i = 0; i < count; i++) {
      at = readEntry(bytes, at);
    }
    next = end;
    long recordSum = 0;
    long rawSum = 0;
    for (Entry entry : entries) {
      recordSum += entry.records;
      rawSum += entry.rawBytes;
    }
    if (isComplete() && (recordSum != records || rawSum != rawBytes)) {
      throw malformed("summary does not add up: records=" + recordSum, part);
    }
    return at;
  }

  private int readEntry(ByteBuffer bytes, int at) throws CorruptFormatException {
    if (bytes.limit() - at < ENTRY_LENGTH) {
      throw malformed("entry is cut off", at);
    }
    int run = bytes.getInt(at);
    long entryRecords = bytes.getLong(at + ENTRY_RECORDS);
    long entryRawBytes = bytes.getLong(at + ENTRY_RAW_BYTES);
    int keyLength = bytes.getShort(at + ENTRY_KEY_LENGTH);
    int lastRun = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).run;
    boolean valid =
        run >= lastRun
            && run < indexEntries
            && entryRecords >= 0
            && entryRawBytes >= 0
            && keyLength >= 0
            && keyLength <= Math.min(ChunkTail.MAX_KEY_LENGTH, bytes.limit() - at - ENTRY_LENGTH);
    if (!valid) {
      throw malformed("entry is out of bounds: run=%s key=%s".formatted(run, keyLength), at);
    }
    byte[] key = new byte[keyLength];
    bytes.get(at + ENTRY_LENGTH, key);
    entries.add(new Entry(run, key, entryRecords, entryRawBytes));
    return at + ENTRY_LENGTH + keyLength;
  }

  private static CorruptFormatException malformed(String what, int at) {
    return new CorruptFormatException("index summary: " + what + ": offset=" + at);
  }
}
