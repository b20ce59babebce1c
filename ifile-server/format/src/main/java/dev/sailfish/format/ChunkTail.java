package dev.sailfish.format;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a SORTED chunk has behind its blocks: the source table, the in-chunk index and the footer.
 *
 * <pre>
 *   source table    | "SFS1" | count | count x source            | CRC |
 *                     source:  map, attempt, sequence, records, raw length      (5 x int)
 *   index           | "SFI1" | count | count x entry             | CRC |
 *                     entry:   run int, offset long, block length int, records int, raw length int,
 *                              key length short (0..256), key bytes
 *   footer          0           8     10    12      16              24
 *                   +-----------+-----+-----+-------+---------------+
 *                   | "SFTAIL01"| ver | ord | runs  | source offset |
 *                   +-----------+-----+-----+-------+---------------+
 *                   24        28             36        40        48         56    60    64
 *                   +---------+--------------+---------+---------+----------+-----+-----+
 *                   |source N | index offset | index N | records | raw bytes|  0  | CRC |
 *                   +---------+--------------+---------+---------+----------+-----+-----+
 * </pre>
 *
 * <p>The source table lists the appended blocks of the chunk in the order (map, attempt, sequence);
 * records in sorted blocks name their source by its ordinal. The index has one entry per block of
 * the chunk, in the order run by run, then key; its key is the first key of the block, cut to
 * {@link #MAX_KEY_LENGTH} bytes. With {@link Ordering#COMPARATOR} each appended block is a run, run
 * ordinal = source ordinal, and keys are empty.
 *
 * <p>Immutable once built or parsed. The arrays behind it are not handed out.
 */
public final class ChunkTail {
  /** Length of the footer in bytes. */
  public static final int FOOTER_LENGTH = 64;

  /** The longest key in the index; longer ones are cut. */
  public static final int MAX_KEY_LENGTH = 256;

  private static final int SOURCES_MAGIC = 0x53465331;
  private static final int INDEX_MAGIC = 0x53464931;
  private static final long FOOTER_MAGIC = 0x53465441494c3031L;
  private static final int VERSION = 1;
  private static final int SOURCE_FIELDS = 5;
  private static final int SOURCE_LENGTH = SOURCE_FIELDS * Integer.BYTES;
  private static final int TABLE_OVERHEAD = 12;
  private static final int ENTRY_FIXED_LENGTH = 26;
  private static final int FOOTER_CHECKSUM_OFFSET = 60;

  private final Ordering ordering;
  private final int runs;
  private final long records;
  private final long rawBytes;
  private final long offset;
  private final int sourceCount;
  private final int[] sources;
  private final int entryCount;
  private final int[] entryRun;
  private final long[] entryOffset;
  private final int[] entryLength;
  private final int[] entryRecords;
  private final int[] entryRawLength;
  private final int[] keyOffset;
  private final byte[] keys;

  private ChunkTail(Tables tables, Ordering ordering, int runs, long offset) {
    this.ordering = ordering;
    this.runs = runs;
    this.offset = offset;
    this.records = tables.records;
    this.rawBytes = tables.rawBytes;
    this.sourceCount = tables.sourceCount;
    this.sources = tables.sources;
    this.entryCount = tables.entryCount;
    this.entryRun = tables.entryRun;
    this.entryOffset = tables.entryOffset;
    this.entryLength = tables.entryLength;
    this.entryRecords = tables.entryRecords;
    this.entryRawLength = tables.entryRawLength;
    this.keyOffset = tables.keyOffset;
    this.keys = tables.keys;
  }

  /** Where a tail is in its chunk, as the footer says. */
  public record Location(long offset, int length) {}

  /** Who knows the key order. */
  public Ordering ordering() {
    return ordering;
  }

  /** How many sorted runs the chunk holds; runs are numbered from 0. */
  public int runs() {
    return runs;
  }

  /** Records in all blocks, of winning and losing attempts alike. */
  public long records() {
    return records;
  }

  /** Bytes of all blocks before compression. */
  public long rawBytes() {
    return rawBytes;
  }

  /** Offset of the tail in the chunk = end of the last block. */
  public long offset() {
    return offset;
  }

  /** How many appended blocks the chunk was made of. */
  public int sources() {
    return sourceCount;
  }

  /** Ordinal of the map task that appended source {@code source}. */
  public int sourceMap(int source) {
    return sources[source * SOURCE_FIELDS];
  }

  /** Number of the map attempt that appended source {@code source}. */
  public int sourceAttempt(int source) {
    return sources[source * SOURCE_FIELDS + 1];
  }

  /** Sequence number of source {@code source} in its attempt and partition. */
  public int sourceSequence(int source) {
    return sources[source * SOURCE_FIELDS + 2];
  }

  /** Records of source {@code source}. */
  public int sourceRecords(int source) {
    return sources[source * SOURCE_FIELDS + 3];
  }

  /** Bytes of source {@code source} before compression. */
  public int sourceRawLength(int source) {
    return sources[source * SOURCE_FIELDS + 4];
  }

  /** How many blocks the index names. */
  public int entries() {
    return entryCount;
  }

  /** Run that the block of entry {@code entry} belongs to. */
  public int entryRun(int entry) {
    return entryRun[entry];
  }

  /** Offset of the block of entry {@code entry} in the chunk. */
  public long entryOffset(int entry) {
    return entryOffset[entry];
  }

  /** Length of the block of entry {@code entry} with its header. */
  public int entryLength(int entry) {
    return entryLength[entry];
  }

  /** Records in the block of entry {@code entry}. */
  public int entryRecords(int entry) {
    return entryRecords[entry];
  }

  /** Bytes of the block of entry {@code entry} before compression. */
  public int entryRawLength(int entry) {
    return entryRawLength[entry];
  }

  /** The first key of the block of entry {@code entry}, cut to {@link #MAX_KEY_LENGTH}; a copy. */
  public byte[] entryKey(int entry) {
    return Arrays.copyOfRange(keys, keyOffset[entry], keyOffset[entry + 1]);
  }

  /**
   * Compares the (cut) first key of entry {@code entry} with a normalized key, unsigned.
   *
   * @return below, equal to or above zero, as the entry's key is
   */
  public int compareEntryKey(int entry, byte[] key) {
    return Arrays.compareUnsigned(keys, keyOffset[entry], keyOffset[entry + 1], key, 0, key.length);
  }

  /**
   * The longest tail of a chunk, in bytes.
   *
   * @param sources appended blocks
   * @param entries blocks in the index
   * @param maxKeyLength length of the longest key in the index; 0 with {@link Ordering#COMPARATOR}
   */
  public static long maxLength(int sources, long entries, int maxKeyLength) {
    int keyLength = Math.min(maxKeyLength, MAX_KEY_LENGTH);
    return 2L * TABLE_OVERHEAD
        + (long) sources * SOURCE_LENGTH
        + entries * (ENTRY_FIXED_LENGTH + keyLength)
        + FOOTER_LENGTH;
  }

  /** The most bytes that a tail with so many sources and index entries takes. */
  public static long maxLength(int sources, long entries) {
    return maxLength(sources, entries, MAX_KEY_LENGTH);
  }

  /** Finds the tail of a sorted chunk of {@code fileLength} bytes by its footer. */
  public static Location locate(ByteBuffer chunk, long fileLength) throws FormatException {
    if (fileLength < ChunkHeader.LENGTH + FOOTER_LENGTH) {
      throw new TruncatedFormatException(
          "chunk has no footer: length="
              + fileLength
              + " needed="
              + (ChunkHeader.LENGTH + FOOTER_LENGTH));
    }
    int footer = (int) (fileLength - FOOTER_LENGTH);
    checkFooter(chunk, footer);
    long tail = chunk.getLong(footer + 16);
    if (tail < ChunkHeader.LENGTH || tail > footer) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: tail=" + tail + " footer=" + footer);
    }
    return new Location(tail, (int) (fileLength - tail));
  }

  private static void checkFooter(ByteBuffer bytes, int footer) throws FormatException {
    long magic = bytes.getLong(footer);
    if (magic != FOOTER_MAGIC) {
      throw new CorruptFormatException(
          "no chunk footer at offset="
              + footer
              + ": magic="
              + Long.toHexString(magic)
              + " expected="
              + Long.toHexString(FOOTER_MAGIC));
    }
    int computed = Checksum.of(bytes, footer, FOOTER_CHECKSUM_OFFSET);
    int checksum = bytes.getInt(footer + FOOTER_CHECKSUM_OFFSET);
    if (computed != checksum) {
      throw new CorruptFormatException(
          "chunk footer is damaged: checksum="
              + Integer.toHexString(checksum)
              + " computed="
              + Integer.toHexString(computed));
    }
    int version = bytes.getShort(footer + 8);
    if (version != VERSION) {
      throw new UnsupportedFormatException(
          "chunk footer has version=" + version + ", this Sailfish reads version=" + VERSION);
    }
  }

  /**
   * Parses the bytes from the source table to the end of the footer.
   *
   * @param bytes a big-endian buffer whose absolute positions from 0 to {@code length} are the tail
   * @param length length of the tail in bytes
   * @throws FormatException corrupt, truncated or too new
   */
  public static ChunkTail parse(ByteBuffer bytes, int length) throws FormatException {
    int footer = length - FOOTER_LENGTH;
    if (footer < 2 * TABLE_OVERHEAD) {
      throw new TruncatedFormatException(
          "chunk tail is cut off: length="
              + length
              + " needed="
              + (FOOTER_LENGTH + 2 * TABLE_OVERHEAD));
    }
    checkFooter(bytes, footer);
    long tailOffset = bytes.getLong(footer + 16);
    int sourcesLength = bytes.getInt(footer + 24);
    long indexOffset = bytes.getLong(footer + 28);
    int indexLength = bytes.getInt(footer + 36);
    if (tailOffset < ChunkHeader.LENGTH
        || sourcesLength < TABLE_OVERHEAD
        || indexLength < TABLE_OVERHEAD
        || (long) sourcesLength + indexLength != footer
        || indexOffset != tailOffset + sourcesLength) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: sources="
              + sourcesLength
              + " index="
              + indexLength
              + " tail length="
              + length);
    }
    Tables tables = new Tables();
    parseSources(bytes, sourcesLength, tables);
    int runs = bytes.getInt(footer + 12);
    parseIndex(bytes, sourcesLength, indexLength, tailOffset, runs, tables);
    if (tables.records != bytes.getLong(footer + 40)
        || tables.rawBytes != bytes.getLong(footer + 48)) {
      throw new CorruptFormatException(
          "chunk index does not add up: records="
              + tables.records
              + " footer records="
              + bytes.getLong(footer + 40));
    }
    return new ChunkTail(tables, Ordering.ofCode(bytes.getShort(footer + 10)), runs, tailOffset);
  }

  private static int checkTable(ByteBuffer bytes, int start, int length, int magic, int minimum)
      throws FormatException {
    int computed = Checksum.of(bytes, start, length - Integer.BYTES);
    int checksum = bytes.getInt(start + length - Integer.BYTES);
    if (bytes.getInt(start) != magic || computed != checksum) {
      throw new CorruptFormatException(
          "chunk table is damaged: offset="
              + start
              + " length="
              + length
              + " checksum="
              + Integer.toHexString(checksum)
              + " computed="
              + Integer.toHexString(computed));
    }
    int count = bytes.getInt(start + 4);
    if (count < 0 || count > (length - TABLE_OVERHEAD) / minimum) {
      throw new CorruptFormatException(
          "chunk table is out of bounds: count=" + count + " length=" + length);
    }
    return count;
  }

  private static void parseSources(ByteBuffer bytes, int length, Tables tables)
      throws FormatException {
    int count = checkTable(bytes, 0, length, SOURCES_MAGIC, SOURCE_LENGTH);
    if (length != TABLE_OVERHEAD + count * SOURCE_LENGTH) {
      throw new CorruptFormatException(
          "source table is out of bounds: count=" + count + " length=" + length);
    }
    tables.sourceCount = count;
    tables.sources = new int[count * SOURCE_FIELDS];
    for (int i = 0; i < tables.sources.length; i++) {
      tables.sources[i] = bytes.getInt(8 + i * Integer.BYTES);
    }
  }

  private static void parseIndex(
      ByteBuffer bytes, int start, int length, long blocksEnd, int runs, Tables tables)
      throws FormatException {
    int count = checkTable(bytes, start, length, INDEX_MAGIC, ENTRY_FIXED_LENGTH);
    int end = start + length - Integer.BYTES;
    if (runs < 0 || runs > Math.max(1, count)) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: runs=" + runs + " index entries=" + count);
    }
    tables.allocateEntries(count, length - TABLE_OVERHEAD - count * ENTRY_FIXED_LENGTH);
    int position = start + 8;
    for (int entry = 0; entry < count; entry++) {
      if (end - position < ENTRY_FIXED_LENGTH) {
        throw new CorruptFormatException("chunk index ends inside entry=" + entry);
      }
      int run = bytes.getInt(position);
      long offset = bytes.getLong(position + 4);
      int blockLength = bytes.getInt(position + 12);
      int keyLength = bytes.getShort(position + 24);
      int blockRecords = bytes.getInt(position + 16);
      int rawLength = bytes.getInt(position + 20);
      boolean valid =
          run >= (entry == 0 ? 0 : tables.entryRun[entry - 1])
              && run < runs
              && blockRecords >= 0
              && rawLength >= 0
              && offset >= ChunkHeader.LENGTH
              && blockLength >= BlockHeader.LENGTH
              && offset <= blocksEnd - blockLength
              && keyLength >= 0
              && keyLength <= MAX_KEY_LENGTH
              && keyLength <= end - position - ENTRY_FIXED_LENGTH
              && keyLength <= tables.keys.length - tables.keyOffset[entry];
      if (!valid) {
        throw new CorruptFormatException(
            "chunk index is out of bounds: entry="
                + entry
                + " run="
                + run
                + " offset="
                + offset
                + " length="
                + blockLength
                + " records="
                + blockRecords
                + " raw length="
                + rawLength
                + " key length="
                + keyLength);
      }
      tables.putEntry(entry, run, offset, blockLength);
      tables.putCounts(entry, blockRecords, rawLength);
      position += ENTRY_FIXED_LENGTH;
      bytes.get(position, tables.keys, tables.keyOffset[entry], keyLength);
      tables.keyOffset[entry + 1] = tables.keyOffset[entry] + keyLength;
      position += keyLength;
    }
    if (position != end) {
      throw new CorruptFormatException(
          "chunk index has bytes behind its entries: count=" + (end - position));
    }
  }

  /** The tables while they are being filled. */
  private static final class Tables {
    private long records;
    private long rawBytes;
    private int sourceCount;
    private int[] sources = new int[0];
    private int entryCount;
    private int[] entryRun = new int[0];
    private long[] entryOffset = new long[0];
    private int[] entryLength = new int[0];
    private int[] entryRecords = new int[0];
    private int[] entryRawLength = new int[0];
    private int[] keyOffset = new int[1];
    private byte[] keys = new byte[0];

    private void allocateEntries(int count, int keyBytes) {
      entryCount = count;
      entryRun = new int[count];
      entryOffset = new long[count];
      entryLength = new int[count];
      entryRecords = new int[count];
      entryRawLength = new int[count];
      keyOffset = new int[count + 1];
      keys = new byte[keyBytes];
    }

    private void putEntry(int entry, int run, long offset, int length) {
      entryRun[entry] = run;
      entryOffset[entry] = offset;
      entryLength[entry] = length;
    }

    private void putCounts(int entry, int blockRecords, int rawLength) {
      entryRecords[entry] = blockRecords;
      entryRawLength[entry] = rawLength;
      records += blockRecords;
      rawBytes += rawLength;
    }
  }

  /** Collects sources and index entries while a chunk is sorted, and lays out the tail. */
  public static final class Builder {
    private final Ordering ordering;
    private final ByteArrayOutputStream sourceBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream indexBytes = new ByteArrayOutputStream();
    private final DataOutputStream sourceOut = new DataOutputStream(sourceBytes);
    private final DataOutputStream indexOut = new DataOutputStream(indexBytes);
    private int sourceCount;
    private int entryCount;
    private int runs;
    private long records;
    private long rawBytes;

    /** An empty tail of a chunk with this ordering. */
    public Builder(Ordering ordering) {
      this.ordering = ordering;
    }

    /** Adds an appended block to the source table; call in (map, attempt, sequence) order. */
    public void addSource(BlockHeader block) {
      try {
        sourceOut.writeInt(block.map());
        sourceOut.writeInt(block.attempt());
        sourceOut.writeInt(block.sequence());
        sourceOut.writeInt(block.records());
        sourceOut.writeInt(block.rawLength());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      sourceCount++;
    }

    /**
     * Adds a block to the index; call run by run, in key order.
     *
     * @param run ordinal of the run
     * @param offset of the block in the chunk
     * @param block its header
     * @param firstKey buffer with the block's first key; may be longer than what is kept
     * @param firstKeyLength length of the first key, or 0
     */
    public void addEntry(
        int run, long offset, BlockHeader block, byte[] firstKey, int firstKeyLength) {
      int keyLength = Math.min(firstKeyLength, MAX_KEY_LENGTH);
      try {
        indexOut.writeInt(run);
        indexOut.writeLong(offset);
        indexOut.writeInt(block.blockLength());
        indexOut.writeInt(block.records());
        indexOut.writeInt(block.rawLength());
        indexOut.writeShort(keyLength);
        indexOut.write(firstKey, 0, keyLength);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      entryCount++;
      runs = Math.max(runs, run + 1);
      records += block.records();
      rawBytes += block.rawLength();
    }

    /** Runs that have an entry. */
    public int runs() {
      return runs;
    }

    /** Records of all blocks in the index. */
    public long records() {
      return records;
    }

    /** Bytes of all blocks in the index before compression. */
    public long rawBytes() {
      return rawBytes;
    }

    /** Length of the tail as it is now, in bytes. */
    public int length() {
      return 2 * TABLE_OVERHEAD + sourceBytes.size() + indexBytes.size() + FOOTER_LENGTH;
    }

    /**
     * Writes the tail at the absolute position {@code offset} of the chunk's buffer.
     *
     * @return the length of the finished chunk = offset behind the footer
     */
    public int write(ByteBuffer chunk, int offset) {
      int sourcesLength = TABLE_OVERHEAD + sourceBytes.size();
      int indexLength = TABLE_OVERHEAD + indexBytes.size();
      putTable(chunk, offset, SOURCES_MAGIC, sourceCount, sourceBytes);
      putTable(chunk, offset + sourcesLength, INDEX_MAGIC, entryCount, indexBytes);
      int footer = offset + sourcesLength + indexLength;
      chunk.putLong(footer, FOOTER_MAGIC);
      chunk.putShort(footer + 8, (short) VERSION);
      chunk.putShort(footer + 10, (short) ordering.code());
      chunk.putInt(footer + 12, runs);
      chunk.putLong(footer + 16, offset);
      chunk.putInt(footer + 24, sourcesLength);
      chunk.putLong(footer + 28, (long) offset + sourcesLength);
      chunk.putInt(footer + 36, indexLength);
      chunk.putLong(footer + 40, records);
      chunk.putLong(footer + 48, rawBytes);
      chunk.putInt(footer + 56, 0);
      chunk.putInt(
          footer + FOOTER_CHECKSUM_OFFSET, Checksum.of(chunk, footer, FOOTER_CHECKSUM_OFFSET));
      return footer + FOOTER_LENGTH;
    }

    private static void putTable(
        ByteBuffer chunk, int offset, int magic, int count, ByteArrayOutputStream entries) {
      chunk.putInt(offset, magic);
      chunk.putInt(offset + 4, count);
      chunk.put(offset + 8, entries.toByteArray());
      int end = offset + 8 + entries.size();
      chunk.putInt(end, Checksum.of(chunk, offset, end - offset));
    }
  }
}
