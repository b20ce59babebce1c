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
 *   the same with   | "SFX1" | count | count x entry without key bytes | encrypted keys | CRC |
 *   encrypted keys
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
 * <p>In an encrypted chunk with {@link Ordering#NORMALIZED} the bytes of all keys stand back to
 * back behind the entries, encrypted as one; all else is as it is.
 *
 * <p>Immutable once built or parsed. The arrays behind it are not handed out.
 */
public final class ChunkTail {
  /** Length of the footer in bytes. */
  public static final int FOOTER_LENGTH = 64;

  /** The longest key in the index; longer ones are cut. */
  public static final int MAX_KEY_LENGTH = 256;

  private static final long FOOTER_MAGIC = 0x53465441494c3031L;
  private static final int VERSION = 1;
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
  private final boolean keysEncrypted;

  private ChunkTail(TailTables tables, Ordering ordering, int runs, long offset) {
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
    this.keysEncrypted = tables.keysEncrypted;
  }

  private ChunkTail(ChunkTail tail, byte[] plainKeys) {
    ordering = tail.ordering;
    runs = tail.runs;
    records = tail.records;
    rawBytes = tail.rawBytes;
    offset = tail.offset;
    sourceCount = tail.sourceCount;
    sources = tail.sources;
    entryCount = tail.entryCount;
    entryRun = tail.entryRun;
    entryOffset = tail.entryOffset;
    entryLength = tail.entryLength;
    entryRecords = tail.entryRecords;
    entryRawLength = tail.entryRawLength;
    keyOffset = tail.keyOffset;
    keys = plainKeys;
    keysEncrypted = false;
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
    return sources[source * TailTables.SOURCE_FIELDS];
  }

  /** Number of the map attempt that appended source {@code source}. */
  public int sourceAttempt(int source) {
    return sources[source * TailTables.SOURCE_FIELDS + 1];
  }

  /** Sequence number of source {@code source} in its attempt and partition. */
  public int sourceSequence(int source) {
    return sources[source * TailTables.SOURCE_FIELDS + 2];
  }

  /** Records of source {@code source}. */
  public int sourceRecords(int source) {
    return sources[source * TailTables.SOURCE_FIELDS + 3];
  }

  /** Bytes of source {@code source} before compression. */
  public int sourceRawLength(int source) {
    return sources[source * TailTables.SOURCE_FIELDS + 4];
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

  /** Whether the keys in the index are encrypted, so that no entry's key can be asked for. */
  public boolean keysEncrypted() {
    return keysEncrypted;
  }

  /** All keys in the index, encrypted as one; the tail's own array, not to be changed. */
  public byte[] encryptedKeys() {
    if (!keysEncrypted) {
      throw new IllegalStateException("the keys of this index are not encrypted");
    }
    return keys;
  }

  /**
   * The same tail with its keys decrypted.
   *
   * @param plainKeys what {@link #encryptedKeys} becomes; belongs to the tail from here on
   */
  public ChunkTail withKeys(byte[] plainKeys) {
    if (plainKeys.length != keyOffset[entryCount]) {
      throw new IllegalArgumentException(
          "keys have another length: bytes="
              + plainKeys.length
              + " expected="
              + keyOffset[entryCount]);
    }
    return new ChunkTail(this, plainKeys);
  }

  /** The first key of the block of entry {@code entry}, cut to {@link #MAX_KEY_LENGTH}; a copy. */
  public byte[] entryKey(int entry) {
    requirePlainKeys();
    return Arrays.copyOfRange(keys, keyOffset[entry], keyOffset[entry + 1]);
  }

  /**
   * The first of the entries from {@code from} to before {@code to}, of one run, whose (cut) key is
   * not below {@code key}; {@code to} when all are.
   */
  public int lowerBound(int from, int to, byte[] key) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareEntryKey(middle, key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Compares the (cut) first key of entry {@code entry} with a normalized key, unsigned.
   *
   * @return below, equal to or above zero, as the entry's key is
   */
  public int compareEntryKey(int entry, byte[] key) {
    requirePlainKeys();
    return Arrays.compareUnsigned(keys, keyOffset[entry], keyOffset[entry + 1], key, 0, key.length);
  }

  private void requirePlainKeys() {
    if (keysEncrypted) {
      throw new IllegalStateException("the keys of this index are encrypted");
    }
  }

  /**
   * The longest tail of a chunk, in bytes; encrypting the keys comes on top.
   *
   * @param sources appended blocks
   * @param entries blocks in the index
   * @param maxKeyLength length of the longest key in the index; 0 with {@link Ordering#COMPARATOR}
   */
  public static long maxLength(int sources, long entries, int maxKeyLength) {
    int keyLength = Math.min(maxKeyLength, MAX_KEY_LENGTH);
    return 2L * TailTables.TABLE_OVERHEAD
        + (long) sources * TailTables.SOURCE_LENGTH
        + entries * (TailTables.ENTRY_FIXED_LENGTH + keyLength)
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
    if (footer < 2 * TailTables.TABLE_OVERHEAD) {
      throw new TruncatedFormatException(
          "chunk tail is cut off: length="
              + length
              + " needed="
              + (FOOTER_LENGTH + 2 * TailTables.TABLE_OVERHEAD));
    }
    checkFooter(bytes, footer);
    long tailOffset = bytes.getLong(footer + 16);
    int sourcesLength = bytes.getInt(footer + 24);
    long indexOffset = bytes.getLong(footer + 28);
    int indexLength = bytes.getInt(footer + 36);
    if (tailOffset < ChunkHeader.LENGTH
        || sourcesLength < TailTables.TABLE_OVERHEAD
        || indexLength < TailTables.TABLE_OVERHEAD
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
    int runs = bytes.getInt(footer + 12);
    TailTables tables = TailTables.parse(bytes, sourcesLength, indexLength, tailOffset, runs);
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

  /** Collects sources and index entries while a chunk is sorted, and lays out the tail. */
  public static final class Builder {
    private final Ordering ordering;
    private final ByteArrayOutputStream sourceBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream indexBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream keyBytes;
    private final DataOutputStream sourceOut = new DataOutputStream(sourceBytes);
    private final DataOutputStream indexOut = new DataOutputStream(indexBytes);
    private int sourceCount;
    private int entryCount;
    private int runs;
    private long records;
    private long rawBytes;

    /** An empty tail of a chunk with this ordering. */
    public Builder(Ordering ordering) {
      this(ordering, false);
    }

    /**
     * An empty tail of a chunk with this ordering.
     *
     * @param encrypted whether the keys in the index are to be encrypted: then whoever writes the
     *     tail does that, between {@link #keys} and {@link #write}
     */
    public Builder(Ordering ordering, boolean encrypted) {
      this.ordering = ordering;
      keyBytes = encrypted ? new ByteArrayOutputStream() : indexBytes;
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
        keyBytes.write(firstKey, 0, keyLength);
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
      int keys = encrypted() ? keyBytes.size() + BlockHeader.ENCRYPTION_OVERHEAD : 0;
      return 2 * TailTables.TABLE_OVERHEAD
          + sourceBytes.size()
          + indexBytes.size()
          + keys
          + FOOTER_LENGTH;
    }

    /** Whether the keys of the index are to be encrypted. */
    public boolean encrypted() {
      return keyBytes != indexBytes;
    }

    /** All keys, in the order of their entries; only when they are to be encrypted. */
    public byte[] keys() {
      return keyBytes.toByteArray();
    }

    /**
     * Writes the tail of an encrypted chunk at the absolute position {@code offset} of its buffer.
     *
     * @param encryptedKeys what {@link #keys} has become
     * @return the length of the finished chunk = offset behind the footer
     */
    public int write(ByteBuffer chunk, int offset, byte[] encryptedKeys) {
      if (!encrypted()
          || encryptedKeys.length != keyBytes.size() + BlockHeader.ENCRYPTION_OVERHEAD) {
        throw new IllegalStateException(
            "not the keys of this tail: encrypted="
                + encrypted()
                + " bytes="
                + encryptedKeys.length);
      }
      indexBytes.writeBytes(encryptedKeys);
      return writeTables(chunk, offset, TailTables.ENCRYPTED_INDEX_MAGIC);
    }

    /**
     * Writes the tail at the absolute position {@code offset} of the chunk's buffer.
     *
     * @return the length of the finished chunk = offset behind the footer
     */
    public int write(ByteBuffer chunk, int offset) {
      if (encrypted()) {
        throw new IllegalStateException("the keys of this tail are to be encrypted");
      }
      return writeTables(chunk, offset, TailTables.INDEX_MAGIC);
    }

    private int writeTables(ByteBuffer chunk, int offset, int indexMagic) {
      int sourcesLength = TailTables.TABLE_OVERHEAD + sourceBytes.size();
      int indexLength = TailTables.TABLE_OVERHEAD + indexBytes.size();
      putTable(chunk, offset, TailTables.SOURCES_MAGIC, sourceCount, sourceBytes);
      putTable(chunk, offset + sourcesLength, indexMagic, entryCount, indexBytes);
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
