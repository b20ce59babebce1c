package dev.sailfish.format.tail;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
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
 * fewer; never a part of one. Its key is the first of them, cut to {@link
 * RunDescriptor#MAX_KEY_LENGTH} bytes: a lower bound of all keys in it; the first key of the run's
 * next entry is an upper one.
 *
 * <p>Where servers have no key, its length is {@link RunDescriptor#NO_KEY}: in chunks of encrypted
 * jobs, and where a comparator's index has none ({@link IndexedBlockCursor}). In an encrypted chunk
 * with {@link Ordering#NORMALIZED} the keys of the index are encrypted as one: who needs them and
 * has the job's key takes the chunk's tail.
 *
 * <p>Not thread-safe while answers are read.
 */
public final class IndexSummary {
  private static final int PART_LENGTH = 40;
  private static final int ENTRY_LENGTH = 22;

  /** The least room that {@link #write} needs to get on, in bytes. */
  public static final int MIN_ROOM = PART_LENGTH + ENTRY_LENGTH + RunDescriptor.MAX_KEY_LENGTH;

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
   * @param key the first of them, cut; null when the server does not have it; not to be changed
   * @param records in them
   * @param rawBytes of them before compression
   */
  public record Entry(int run, byte[] key, long records, long rawBytes) {}

  private IndexSummary(long chunk, int indexEntries, long records, long rawBytes) {
    this.chunk = chunk;
    this.indexEntries = indexEntries;
    this.records = records;
    this.rawBytes = rawBytes;
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
    while (next < tail.entries()
        && out.remaining() >= ENTRY_LENGTH + RunDescriptor.MAX_KEY_LENGTH) {
      next = writeEntry(tail, next, bytesPerEntry, out);
      count++;
    }
    int end = out.position();
    out.position(part).putLong(chunk).putInt(first).putInt(next).putInt(tail.entries());
    out.putLong(tail.records()).putLong(tail.rawBytes()).putInt(count).position(end);
    return next;
  }

  /**
   * Writes the part of a chunk whose records are summed up with another one's, in the file of which
   * it is.
   */
  public static void writeEmpty(long chunk, ByteBuffer out) {
    out.putLong(chunk).put(new byte[PART_LENGTH - Long.BYTES]);
  }

  private static int writeEntry(ChunkTail tail, int first, long bytesPerEntry, ByteBuffer out) {
    int end = tail.runStart(tail.entryRun(first) + 1);
    long records = 0;
    long rawBytes = 0;
    int next = first;
    do {
      records += tail.entryRecords(next);
      rawBytes += tail.entryRawLength(next);
      next++;
    } while (next < end && Long.compareUnsigned(rawBytes, bytesPerEntry) < 0);
    byte[] key = tail.hasKeys() ? tail.entryKey(first) : null;
    out.putInt(tail.entryRun(first)).putLong(records).putLong(rawBytes);
    if (key == null) {
      out.putShort((short) RunDescriptor.NO_KEY);
    } else {
      out.putShort((short) key.length).put(key);
    }
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
    ByteBuffer in = bytes.duplicate();
    while (in.hasRemaining()) {
      int at = in.position();
      if (in.remaining() < PART_LENGTH) {
        throw malformed("part is cut off", at);
      }
      long chunk = in.getLong();
      int first = in.getInt();
      int end = in.getInt();
      IndexSummary part = new IndexSummary(chunk, in.getInt(), in.getLong(), in.getLong());
      IndexSummary last = summaries.isEmpty() ? null : summaries.get(summaries.size() - 1);
      if (first == 0) {
        if (last != null && !last.isComplete()) {
          throw malformed("part begins another chunk before the end of the last one", at);
        }
        summaries.add(part);
      } else if (last != null && last.goesOn(part, first)) {
        part = last;
      } else {
        throw malformed("part does not follow the one before it: first=" + first, at);
      }
      part.readEntries(in, end, in.getInt(), at);
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

  private void readEntries(ByteBuffer in, int end, int count, int part)
      throws CorruptFormatException {
    boolean empty = count == 0 && end == 0 && indexEntries == 0;
    if (!empty && (count < 1 || end > indexEntries || count > (long) end - next)) {
      throw malformed("part is out of bounds: next=%s entries=%s".formatted(end, count), part);
    }
    for (int i = 0; i < count; i++) {
      readEntry(in);
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
  }

  private void readEntry(ByteBuffer in) throws CorruptFormatException {
    int at = in.position();
    if (in.remaining() < ENTRY_LENGTH) {
      throw malformed("entry is cut off", at);
    }
    int run = in.getInt();
    long entryRecords = in.getLong();
    long entryRawBytes = in.getLong();
    int keyLength = in.getShort();
    int lastRun = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).run;
    boolean valid =
        run >= lastRun
            && run < indexEntries
            && entryRecords >= 0
            && entryRawBytes >= 0
            && keyLength >= RunDescriptor.NO_KEY
            && keyLength <= Math.min(RunDescriptor.MAX_KEY_LENGTH, in.remaining());
    if (!valid) {
      throw malformed("entry is out of bounds: run=%s key=%s".formatted(run, keyLength), at);
    }
    byte[] key = keyLength == RunDescriptor.NO_KEY ? null : new byte[keyLength];
    if (key != null) {
      in.get(key);
    }
    entries.add(new Entry(run, key, entryRecords, entryRawBytes));
  }

  private static CorruptFormatException malformed(String what, int at) {
    return new CorruptFormatException("index summary: " + what + ": offset=" + at);
  }
}
