package dev.sailfish.format.tail;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.TruncatedFormatException;
import dev.sailfish.format.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a SORTED chunk has behind its blocks: the source table, the in-chunk index and the footer.
 *
 * <pre>
 *   source table    | "SFS1" | count | count x source            | CRC |
 *                     source:  map, attempt, sequence, records, raw length      (5 x int)
 *   of several      | "SFS2" | count | count x (source, chunk id long) | CRC |
 *   chunks
 *   index           | "SFI1" | count | count x entry             | CRC |
 *                     entry:   run int, offset long, block length int, records int, raw length int,
 *                              key length short (0..256, or -1: no key), key bytes
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
 * {@link RunDescriptor#MAX_KEY_LENGTH} bytes. With {@link Ordering#COMPARATOR} each appended block
 * is a run, run ordinal = source ordinal; if it has the flag RUN ({@link RunDescriptor}) the
 * entries are the blocks in it. Their keys are those that a server finds without decompressing or
 * decrypting ({@link IndexedBlockCursor}), in the order of the job's comparator, which nobody here
 * knows.
 *
 * <p>A file may hold several chunks of one I-file with {@link Ordering#NORMALIZED}, sorted as one.
 * Then {@code ver} is 3 instead of 2, and each source says which chunk it was appended to; a block
 * that was appended to two of them is two sources. The file has the header of its first chunk, the
 * one with the lowest id.
 *
 * <p>In an encrypted chunk with {@link Ordering#NORMALIZED} the bytes of all keys stand back to
 * back behind the entries, encrypted as one; all else is as it is.
 *
 * <p>In memory the tables stay as they are laid out, the entries without their keys: fields are
 * read where they stand. Immutable once built or parsed. The arrays behind it are not handed out.
 */
public final class ChunkTail {
  /** Length of the footer in bytes. */
  public static final int FOOTER_LENGTH = 64;

  static final long FOOTER_MAGIC = 0x53465441494c3031L;
  static final int VERSION = 2;
  static final int VERSION_OFFSET = 8;
  static final int ORDERING_OFFSET = 10;
  static final int RUNS_OFFSET = 12;
  static final int SOURCES_START_OFFSET = 16;
  static final int SOURCES_LENGTH_OFFSET = 24;
  static final int INDEX_START_OFFSET = 28;
  static final int INDEX_LENGTH_OFFSET = 36;
  static final int RECORDS_OFFSET = 40;
  static final int RAW_BYTES_OFFSET = 48;
  static final int ZERO_OFFSET = 56;
  static final int CHECKSUM_OFFSET = 60;

  static final int SOURCES_MAGIC = 0x53465331;
  static final int INDEX_MAGIC = 0x53464931;
  static final int ENCRYPTED_INDEX_MAGIC = 0x53465831;
  static final int COUNT_OFFSET = 4;
  static final int TABLE_START = 8;
  static final int TABLE_OVERHEAD = TABLE_START + Integer.BYTES;

  static final int SOURCE_LENGTH = 20;
  private static final int SOURCE_ATTEMPT = 4;
  private static final int SOURCE_SEQUENCE = 8;
  private static final int SOURCE_RECORDS = 12;
  private static final int SOURCE_RAW_LENGTH = 16;

  private static final int ENTRY_OFFSET = 4;
  private static final int ENTRY_BLOCK_LENGTH = 12;
  private static final int ENTRY_RECORDS = 16;
  private static final int ENTRY_RAW_LENGTH = 20;
  private static final int ENTRY_KEY_LENGTH = 24;
  static final int ENTRY_FIXED_LENGTH = 26;

  /** How much of an entry is kept in memory: all but its key. */
  private static final int ENTRY_STRIDE = ENTRY_FIXED_LENGTH;

  private static final long[] ONE_CHUNK = {};

  private final Ordering ordering;
  private final long records;
  private final long rawBytes;
  private final long offset;
  private final ByteBuffer sources;
  private final int sourceLength;
  private final long[] chunks;
  private final ByteBuffer entries;
  private final int[] runStart;
  private final int[] keyOffset;
  private final byte[] keys;
  private final boolean keysEncrypted;

  private ChunkTail(ByteBuffer bytes, int footer, boolean keepsKeys) throws FormatException {
    ordering = Ordering.ofCode(bytes.getShort(footer + ORDERING_OFFSET));
    offset = bytes.getLong(footer + SOURCES_START_OFFSET);
    records = bytes.getLong(footer + RECORDS_OFFSET);
    rawBytes = bytes.getLong(footer + RAW_BYTES_OFFSET);
    int runs = bytes.getInt(footer + RUNS_OFFSET);
    int index = checkedIndexStart(bytes, footer);
    boolean shared = bytes.getShort(footer + VERSION_OFFSET) == SharedSources.VERSION;
    sourceLength = shared ? SharedSources.LENGTH : SOURCE_LENGTH;
    int sourcesMagic = shared ? SharedSources.MAGIC : SOURCES_MAGIC;
    int sourceCount = checkedCount(bytes, 0, index, sourcesMagic, sourceLength);
    sources = ByteBuffer.allocate(sourceCount * sourceLength);
    bytes.get(TABLE_START, sources.array());
    chunks = shared ? SharedSources.chunks(sources, ordering) : ONE_CHUNK;
    keysEncrypted = ordering == Ordering.NORMALIZED && bytes.getInt(index) == ENCRYPTED_INDEX_MAGIC;
    int magic = keysEncrypted ? ENCRYPTED_INDEX_MAGIC : INDEX_MAGIC;
    int count = checkedCount(bytes, index, footer - index, magic, ENTRY_FIXED_LENGTH);
    if (index != TABLE_OVERHEAD + sources.capacity() || runs < 0 || runs > Math.max(1, count)) {
      throw new CorruptFormatException(
          "chunk tail is out of bounds: runs=%s index entries=%s sources=%s source table=%s"
              .formatted(runs, count, sourceCount, index));
    }
    entries = ByteBuffer.allocate(count * ENTRY_STRIDE);
    runStart = new int[runs + 1];
    keyOffset = new int[count + 1];
    keys =
        keepsKeys ? new byte[footer - index - TABLE_OVERHEAD - count * ENTRY_FIXED_LENGTH] : null;
    readEntries(bytes, index + TABLE_START, footer - Integer.BYTES);
    checkSums();
    checkKeyOrder();
  }

  private ChunkTail(ChunkTail tail, byte[] plainKeys) throws CorruptFormatException {
    ordering = tail.ordering;
    offset = tail.offset;
    records = tail.records;
    rawBytes = tail.rawBytes;
    sources = tail.sources;
    sourceLength = tail.sourceLength;
    chunks = tail.chunks;
    entries = tail.entries;
    runStart = tail.runStart;
    keyOffset = tail.keyOffset;
    keys = plainKeys;
    keysEncrypted = false;
    checkKeyOrder();
  }

  /** Who looks for keys leaves blocks out: what is not in order must not pass for a small range. */
  private void checkKeyOrder() throws CorruptFormatException {
    boolean byBytes = ordering == Ordering.NORMALIZED && hasKeys();
    for (int run = 0; byBytes && run < runs(); run++) {
      for (int entry = runStart[run] + 1; entry < runStart[run + 1]; entry++) {
        int start = keyOffset[entry];
        int end = keyOffset[entry + 1];
        if (Arrays.compareUnsigned(keys, keyOffset[entry - 1], start, keys, start, end) > 0) {
          throw new CorruptFormatException(
              "chunk index is out of order: entry=%s run=%s".formatted(entry, run));
        }
      }
    }
  }

  /** Who knows the key order. */
  public Ordering ordering() {
    return ordering;
  }

  /** How many sorted runs the chunk holds; runs are numbered from 0. */
  public int runs() {
    return runStart.length - 1;
  }

  /** The first entry of run {@code run}; of run {@link #runs}, the number of entries. */
  public int runStart(int run) {
    return runStart[run];
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
    return sources.capacity() / sourceLength;
  }

  /** Ordinal of the map task that appended source {@code source}. */
  public int sourceMap(int source) {
    return sources.getInt(source * sourceLength);
  }

  /** Number of the map attempt that appended source {@code source}. */
  public int sourceAttempt(int source) {
    return sources.getInt(source * sourceLength + SOURCE_ATTEMPT);
  }

  /** Sequence number of source {@code source} in its attempt and partition. */
  public int sourceSequence(int source) {
    return sources.getInt(source * sourceLength + SOURCE_SEQUENCE);
  }

  /** Records of source {@code source}. */
  public int sourceRecords(int source) {
    return sources.getInt(source * sourceLength + SOURCE_RECORDS);
  }

  /** Bytes of source {@code source} before compression. */
  public int sourceRawLength(int source) {
    return sources.getInt(source * sourceLength + SOURCE_RAW_LENGTH);
  }

  /** Whether the file holds several chunks. */
  public boolean isShared() {
    return chunks.length > 0;
  }

  /** Whether the file holds several chunks, and this one among them. */
  public boolean shares(long chunk) {
    return Arrays.binarySearch(chunks, chunk) >= 0;
  }

  /** The chunks of a file that holds several, ascending by id; none of a file of one chunk. */
  public long[] sharedChunks() {
    return chunks.clone();
  }

  /** The chunk that a source was appended to: {@code asked}, in the file of one chunk. */
  public long sourceChunk(int source, long asked) {
    return isShared() ? sources.getLong(source * sourceLength + SharedSources.CHUNK) : asked;
  }

  /** The chunk that the file's header names: {@code asked}, in the file of one chunk. */
  public long fileChunk(long asked) {
    return isShared() ? chunks[0] : asked;
  }

  /** How many blocks the index names. */
  public int entries() {
    return entries.capacity() / ENTRY_STRIDE;
  }

  /** Run that the block of entry {@code entry} belongs to. */
  public int entryRun(int entry) {
    return entries.getInt(entry * ENTRY_STRIDE);
  }

  /** Offset of the block of entry {@code entry} in the chunk. */
  public long entryOffset(int entry) {
    return entries.getLong(entry * ENTRY_STRIDE + ENTRY_OFFSET);
  }

  /** Length of the block of entry {@code entry} with its header. */
  public int entryLength(int entry) {
    return entries.getInt(entry * ENTRY_STRIDE + ENTRY_BLOCK_LENGTH);
  }

  /** Records in the block of entry {@code entry}. */
  public int entryRecords(int entry) {
    return entries.getInt(entry * ENTRY_STRIDE + ENTRY_RECORDS);
  }

  /** Bytes of the block of entry {@code entry} before compression. */
  public int entryRawLength(int entry) {
    return entries.getInt(entry * ENTRY_STRIDE + ENTRY_RAW_LENGTH);
  }

  /** Whether a block is stored longer or shorter than its records are: surely not as they are. */
  public boolean entryEncoded(int entry) {
    return entryLength(entry) != BlockHeader.LENGTH + entryRawLength(entry);
  }

  /** Whether the keys in the index are encrypted, so that no entry's key can be asked for. */
  public boolean keysEncrypted() {
    return keysEncrypted;
  }

  /** Whether entries' keys can be asked for: they are there, and not encrypted. */
  public boolean hasKeys() {
    return keys != null && !keysEncrypted;
  }

  /**
   * All keys in the index, encrypted as one; the tail's own array, not to be changed.
   *
   * @throws CorruptFormatException when they are not encrypted
   */
  public byte[] encryptedKeys() throws CorruptFormatException {
    if (!keysEncrypted) {
      throw new CorruptFormatException("keys of its index are not encrypted, and the job is");
    }
    if (keys == null) {
      throw new IllegalStateException("the keys of this index are not kept");
    }
    return keys;
  }

  /**
   * The same tail with its keys decrypted.
   *
   * @param plainKeys what {@link #encryptedKeys} becomes; belongs to the tail from here on
   * @throws CorruptFormatException when they are not in order
   */
  public ChunkTail withKeys(byte[] plainKeys) throws CorruptFormatException {
    int expected = keyOffset[entries()];
    if (plainKeys.length != expected) {
      throw new IllegalArgumentException(
          "keys have another length: bytes=" + plainKeys.length + " expected=" + expected);
    }
    return new ChunkTail(this, plainKeys);
  }

  /**
   * The first key of the block of entry {@code entry}, cut to {@link RunDescriptor#MAX_KEY_LENGTH};
   * a copy. Null when the index has none, as may be with {@link Ordering#COMPARATOR}.
   */
  public byte[] entryKey(int entry) {
    requireKeys();
    return entryKeyLength(entry) < 0
        ? null
        : Arrays.copyOfRange(keys, keyOffset[entry], keyOffset[entry + 1]);
  }

  private int entryKeyLength(int entry) {
    return entries.getShort(entry * ENTRY_STRIDE + ENTRY_KEY_LENGTH);
  }

  /**
   * The first entry of a run, in the order of bytes, whose block may hold keys that are not below
   * {@code key}: the one before the first whose (cut) key is not below, for that block may end with
   * such keys.
   */
  public int firstEntry(int run, byte[] key) {
    byte[] cut = Arrays.copyOf(key, Math.min(key.length, RunDescriptor.MAX_KEY_LENGTH));
    return Math.max(runStart[run], endEntry(run, cut) - 1);
  }

  /**
   * The end, exclusive, of the entries of a run, in the order of bytes, whose block may hold keys
   * below {@code key}.
   */
  public int endEntry(int run, byte[] key) {
    requireKeys();
    int low = runStart[run];
    int high = runStart[run + 1];
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

  /** Whether the index has the first key of the block of an entry, and surely all of it. */
  public boolean hasWholeKey(int entry) {
    int length = entryKeyLength(entry);
    return length >= 0 && length < RunDescriptor.MAX_KEY_LENGTH;
  }

  /**
   * Compares the (cut) first key of entry {@code entry} with a normalized key, unsigned.
   *
   * @return below, equal to or above zero, as the entry's key is
   */
  public int compareEntryKey(int entry, byte[] key) {
    requireKeys();
    return Arrays.compareUnsigned(keys, keyOffset[entry], keyOffset[entry + 1], key, 0, key.length);
  }

  private void requireKeys() {
    if (!hasKeys()) {
      throw new IllegalStateException("the keys of this index are encrypted, or not kept");
    }
  }

  /** Bytes of heap that this takes, about. */
  public long heapBytes() {
    long tables = sources.capacity() + entries.capacity() + (keys == null ? 0 : keys.length);
    return tables + (long) Integer.BYTES * (runStart.length + keyOffset.length);
  }

  /**
   * Finds the tail of a sorted chunk by its footer and reads it.
   *
   * @param chunk a big-endian buffer whose absolute position 0 is the chunk's first byte
   * @param chunkLength length of the chunk in bytes
   * @throws FormatException corrupt, truncated or too new
   */
  public static ChunkTail read(ByteBuffer chunk, long chunkLength) throws FormatException {
    int start = locate(chunk, chunkLength);
    int length = (int) chunkLength - start;
    return parse(chunk.slice(start, length), length);
  }

  /** Where the tail begins in the chunk, as its footer says; parameters as of {@link #read}. */
  public static int locate(ByteBuffer chunk, long chunkLength) throws FormatException {
    if (chunkLength < ChunkHeader.LENGTH + FOOTER_LENGTH) {
      throw new TruncatedFormatException(
          "chunk has no footer: length=%s needed=%s"
              .formatted(chunkLength, ChunkHeader.LENGTH + FOOTER_LENGTH));
    }
    int footer = (int) (chunkLength - FOOTER_LENGTH);
    checkFooter(chunk, footer);
    long tail = chunk.getLong(footer + SOURCES_START_OFFSET);
    if (tail < ChunkHeader.LENGTH || tail > footer) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: tail=" + tail + " footer=" + footer);
    }
    return (int) tail;
  }

  private static void checkFooter(ByteBuffer bytes, int footer) throws FormatException {
    long magic = bytes.getLong(footer);
    if (magic != FOOTER_MAGIC) {
      throw new CorruptFormatException(
          "no chunk footer at offset=%s: magic=%x expected=%x"
              .formatted(footer, magic, FOOTER_MAGIC));
    }
    Checksum.check(bytes, footer, CHECKSUM_OFFSET, "chunk footer");
    short version = bytes.getShort(footer + VERSION_OFFSET);
    if (version != SharedSources.VERSION) {
      UnsupportedFormatException.check("chunk footer", version, VERSION);
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
    return parse(bytes, length, true);
  }

  /**
   * The same without the keys, which may be many times as large as all the rest.
   *
   * @param keepsKeys whether keys will be asked for
   */
  public static ChunkTail parse(ByteBuffer bytes, int length, boolean keepsKeys)
      throws FormatException {
    int footer = length - FOOTER_LENGTH;
    if (footer < 2 * TABLE_OVERHEAD) {
      throw new TruncatedFormatException(
          "chunk tail is cut off: length=%s needed=%s"
              .formatted(length, FOOTER_LENGTH + 2 * TABLE_OVERHEAD));
    }
    checkFooter(bytes, footer);
    return new ChunkTail(bytes, footer, keepsKeys);
  }

  private static int checkedIndexStart(ByteBuffer bytes, int footer) throws FormatException {
    long start = bytes.getLong(footer + SOURCES_START_OFFSET);
    int sourcesLength = bytes.getInt(footer + SOURCES_LENGTH_OFFSET);
    int indexLength = bytes.getInt(footer + INDEX_LENGTH_OFFSET);
    if (start < ChunkHeader.LENGTH
        || sourcesLength < TABLE_OVERHEAD
        || indexLength < TABLE_OVERHEAD
        || (long) sourcesLength + indexLength != footer
        || bytes.getLong(footer + INDEX_START_OFFSET) != start + sourcesLength) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: tail=%s sources=%s index=%s footer=%s"
              .formatted(start, sourcesLength, indexLength, footer));
    }
    return sourcesLength;
  }

  /** How many entries a table has whose fixed parts take {@code minimum} bytes each. */
  private static int checkedCount(ByteBuffer bytes, int start, int length, int magic, int minimum)
      throws FormatException {
    int computed = Checksum.of(bytes, start, length - Integer.BYTES);
    int checksum = bytes.getInt(start + length - Integer.BYTES);
    int count = bytes.getInt(start + COUNT_OFFSET);
    if (bytes.getInt(start) != magic
        || computed != checksum
        || count < 0
        || count > (length - TABLE_OVERHEAD) / minimum) {
      throw new CorruptFormatException(
          "chunk table is damaged: offset=%s length=%s count=%s checksum=%x computed=%x"
              .formatted(start, length, count, checksum, computed));
    }
    return count;
  }

  private void readEntries(ByteBuffer bytes, int start, int end) throws FormatException {
    int keyBytes = end - start - entries() * ENTRY_FIXED_LENGTH;
    int position = start;
    int run = 0;
    for (int entry = 0; entry < entries(); entry++) {
      bytes.get(position, entries.array(), entry * ENTRY_STRIDE, ENTRY_STRIDE);
      position += ENTRY_FIXED_LENGTH;
      checkEntry(entry, run, keyBytes - keyOffset[entry]);
      int keyLength = Math.max(0, entryKeyLength(entry));
      while (run < entryRun(entry)) {
        runStart[++run] = entry;
      }
      keyOffset[entry + 1] = keyOffset[entry] + keyLength;
      if (!keysEncrypted) {
        keepKeys(bytes, position, keyOffset[entry], keyLength);
        position += keyLength;
      }
    }
    Arrays.fill(runStart, Math.min(run + 1, runs()), runs() + 1, entries());
    int encrypted = keyOffset[entries()] + BlockHeader.ENCRYPTION_OVERHEAD;
    if (keysEncrypted && end - position == encrypted) {
      keepKeys(bytes, position, 0, encrypted);
      position = end;
    }
    if (position != end) {
      throw new CorruptFormatException(
          "chunk index has bytes behind its entries: count=" + (end - position));
    }
  }

  private void keepKeys(ByteBuffer bytes, int position, int at, int length) {
    if (keys != null) {
      bytes.get(position, keys, at, length);
    }
  }

  private void checkEntry(int entry, int runBefore, int keysLeft) throws CorruptFormatException {
    int keyLength = entryKeyLength(entry);
    int least = ordering == Ordering.COMPARATOR ? RunDescriptor.NO_KEY : 0;
    boolean valid =
        entryRun(entry) >= runBefore
            && entryRun(entry) < runs()
            && entryRecords(entry) >= 0
            && entryRawLength(entry) >= 0
            && entryOffset(entry) >= ChunkHeader.LENGTH
            && entryLength(entry) >= BlockHeader.LENGTH
            && entryOffset(entry) <= offset - entryLength(entry)
            && keyLength >= least
            && keyLength <= Math.min(RunDescriptor.MAX_KEY_LENGTH, keysLeft);
    if (!valid) {
      throw new CorruptFormatException(
          "chunk index is out of bounds: %s key length=%s"
              .formatted(describeEntry(entry), keyLength));
    }
  }

  /** An entry without its key, for errors: {@code name=value}. */
  public String describeEntry(int entry) {
    return "entry=%s run=%s offset=%s length=%s raw length=%s records=%s"
        .formatted(
            entry,
            entryRun(entry),
            entryOffset(entry),
            entryLength(entry),
            entryRawLength(entry),
            entryRecords(entry));
  }

  private void checkSums() throws CorruptFormatException {
    long recordSum = 0;
    long rawSum = 0;
    for (int entry = 0; entry < entries(); entry++) {
      recordSum += entryRecords(entry);
      rawSum += entryRawLength(entry);
    }
    if (recordSum != records || rawSum != rawBytes) {
      throw new CorruptFormatException(
          "chunk index does not add up: records=%s footer records=%s bytes=%s footer bytes=%s"
              .formatted(recordSum, records, rawSum, rawBytes));
    }
    if (ordering == Ordering.COMPARATOR) {
      AppendedRuns.check(this);
    }
  }
}
