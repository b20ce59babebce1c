package dev.sailfish.format.tail;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * Collects sources and index entries while a chunk is sorted, and lays out its {@link ChunkTail}.
 * Not thread-safe.
 */
public final class ChunkTailWriter {
  private final Ordering ordering;
  private final ByteArrayOutputStream sourceBytes = new ByteArrayOutputStream();
  private final ByteArrayOutputStream indexBytes = new ByteArrayOutputStream();
  private final ByteArrayOutputStream keyBytes;
  private final ByteBuffer fields = ByteBuffer.allocate(ChunkTail.ENTRY_FIXED_LENGTH);
  private boolean shared;
  private int sourceCount;
  private int entryCount;
  private int runs;
  private long records;
  private long rawBytes;

  /** An empty tail of a chunk with this ordering. */
  public ChunkTailWriter(Ordering ordering) {
    this(ordering, false);
  }

  /**
   * An empty tail of a chunk with this ordering.
   *
   * @param encrypted whether the keys in the index are to be encrypted: then the writer of the tail
   *     does that, between {@link #keys} and {@link #write}
   */
  public ChunkTailWriter(Ordering ordering, boolean encrypted) {
    this.ordering = ordering;
    keyBytes = encrypted ? new ByteArrayOutputStream() : indexBytes;
  }

  /**
   * The longest tail of a chunk, in bytes; encrypting the keys comes on top.
   *
   * @param sources appended blocks
   * @param entries blocks in the index
   * @param maxKeyLength length of the longest key in the index
   */
  public static long maxLength(int sources, long entries, int maxKeyLength) {
    int keyLength = Math.min(maxKeyLength, RunDescriptor.MAX_KEY_LENGTH);
    return 2L * ChunkTail.TABLE_OVERHEAD
        + (long) sources * ChunkTail.SOURCE_LENGTH
        + entries * (ChunkTail.ENTRY_FIXED_LENGTH + keyLength)
        + ChunkTail.FOOTER_LENGTH;
  }

  /** The most bytes that a tail with so many sources and index entries takes. */
  public static long maxLength(int sources, long entries) {
    return maxLength(sources, entries, RunDescriptor.MAX_KEY_LENGTH);
  }

  /**
   * The most bytes that the tail of a chunk with {@link Ordering#COMPARATOR} takes.
   *
   * @param sources appended blocks
   * @param rawBytes of them, before compression
   * @param encrypted whether they are, and the index has no keys
   */
  public static long maxIndexLength(int sources, long rawBytes, boolean encrypted) {
    return encrypted
        ? maxLength(sources, sources, 0)
        : maxLength(sources, RunDescriptor.mostBlocks(sources, rawBytes));
  }

  /** How much longer the tail of a file of several chunks is than that of one. */
  public static long sharedLength(int sources) {
    return (long) sources * Long.BYTES;
  }

  /** Adds an appended block to the source table; call in (map, attempt, sequence) order. */
  public void addSource(BlockHeader block) {
    fields.clear().putInt(block.map()).putInt(block.attempt()).putInt(block.sequence());
    fields.putInt(block.records()).putInt(block.rawLength());
    sourceBytes.write(fields.array(), 0, ChunkTail.SOURCE_LENGTH);
    sourceCount++;
  }

  /**
   * The same in a file of several chunks, where it is called for all sources; of one block in (map,
   * attempt, sequence) order by chunk.
   *
   * @param chunk that it was appended to
   */
  public void addSource(BlockHeader block, long chunk) {
    addSource(block);
    fields.clear().putLong(chunk);
    sourceBytes.write(fields.array(), 0, Long.BYTES);
    shared = true;
  }

  /**
   * Adds a block to the index; call run by run, in key order.
   *
   * @param run ordinal of the run
   * @param offset of the block in the chunk
   * @param block its header
   * @param firstKey buffer with the block's first key; may be longer than what is kept
   * @param firstKeyLength length of the first key; {@link RunDescriptor#NO_KEY} if it is not known
   */
  public void addEntry(
      int run, long offset, BlockHeader block, byte[] firstKey, int firstKeyLength) {
    int keyLength = Math.min(firstKeyLength, RunDescriptor.MAX_KEY_LENGTH);
    fields.clear().putInt(run).putLong(offset).putInt(block.blockLength());
    fields.putInt(block.records()).putInt(block.rawLength()).putShort((short) keyLength);
    indexBytes.writeBytes(fields.array());
    keyBytes.write(firstKey, 0, Math.max(0, keyLength));
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
    return 2 * ChunkTail.TABLE_OVERHEAD
        + sourceBytes.size()
        + indexBytes.size()
        + keys
        + ChunkTail.FOOTER_LENGTH;
  }

  /** Whether the keys of the index are to be encrypted. */
  public boolean encrypted() {
    return keyBytes != indexBytes;
  }

  /** All keys, in the order of their entries; only when they are to be encrypted. */
  public byte[] keys() {
    return keyBytes.toByteArray();
  }

  /** {@link #write(ByteBuffer, int, byte[])} of a chunk whose keys are not encrypted. */
  public int write(ByteBuffer chunk, int offset) {
    return write(chunk, offset, null);
  }

  /**
   * Writes the tail at the absolute position {@code offset} of the chunk's buffer, once.
   *
   * @param encryptedKeys what {@link #keys} has become; null when they are not to be encrypted
   * @return the length of the finished chunk = offset behind the footer
   */
  public int write(ByteBuffer chunk, int offset, byte[] encryptedKeys) {
    int expected = encrypted() ? keyBytes.size() + BlockHeader.ENCRYPTION_OVERHEAD : 0;
    int found = encryptedKeys == null ? 0 : encryptedKeys.length;
    if (found != expected) {
      throw new IllegalStateException(
          "not the keys of this tail, encrypted: bytes=" + found + " expected=" + expected);
    }
    if (encrypted()) {
      indexBytes.writeBytes(encryptedKeys);
    }
    int magic = encrypted() ? ChunkTail.ENCRYPTED_INDEX_MAGIC : ChunkTail.INDEX_MAGIC;
    int sourcesLength = ChunkTail.TABLE_OVERHEAD + sourceBytes.size();
    int indexLength = ChunkTail.TABLE_OVERHEAD + indexBytes.size();
    int sourcesMagic = shared ? SharedSources.MAGIC : ChunkTail.SOURCES_MAGIC;
    int version = shared ? SharedSources.VERSION : ChunkTail.VERSION;
    putTable(chunk, offset, sourcesMagic, sourceCount, sourceBytes);
    putTable(chunk, offset + sourcesLength, magic, entryCount, indexBytes);
    int footer = offset + sourcesLength + indexLength;
    chunk.putLong(footer, ChunkTail.FOOTER_MAGIC);
    chunk.putShort(footer + ChunkTail.VERSION_OFFSET, (short) version);
    chunk.putShort(footer + ChunkTail.ORDERING_OFFSET, (short) ordering.code());
    chunk.putInt(footer + ChunkTail.RUNS_OFFSET, runs);
    chunk.putLong(footer + ChunkTail.SOURCES_START_OFFSET, offset);
    chunk.putInt(footer + ChunkTail.SOURCES_LENGTH_OFFSET, sourcesLength);
    chunk.putLong(footer + ChunkTail.INDEX_START_OFFSET, (long) offset + sourcesLength);
    chunk.putInt(footer + ChunkTail.INDEX_LENGTH_OFFSET, indexLength);
    chunk.putLong(footer + ChunkTail.RECORDS_OFFSET, records);
    chunk.putLong(footer + ChunkTail.RAW_BYTES_OFFSET, rawBytes);
    chunk.putInt(footer + ChunkTail.ZERO_OFFSET, 0);
    Checksum.put(chunk, footer, ChunkTail.CHECKSUM_OFFSET);
    return footer + ChunkTail.FOOTER_LENGTH;
  }

  private static void putTable(
      ByteBuffer chunk, int offset, int magic, int count, ByteArrayOutputStream entries) {
    chunk.putInt(offset, magic);
    chunk.putInt(offset + ChunkTail.COUNT_OFFSET, count);
    chunk.put(offset + ChunkTail.TABLE_START, entries.toByteArray());
    Checksum.put(chunk, offset, ChunkTail.TABLE_START + entries.size());
  }
}
