package dev.sailfish.format;

import java.nio.ByteBuffer;

/** Source table and index of a {@link ChunkTail}, while they are read. */
final class TailTables {
  static final int SOURCES_MAGIC = 0x53465331;
  static final int INDEX_MAGIC = 0x53464931;
  static final int ENCRYPTED_INDEX_MAGIC = 0x53465831;
  static final int SOURCE_FIELDS = 5;
  static final int SOURCE_LENGTH = SOURCE_FIELDS * Integer.BYTES;
  static final int TABLE_OVERHEAD = 12;
  static final int ENTRY_FIXED_LENGTH = 26;

  long records;
  long rawBytes;
  int sourceCount;
  int[] sources = new int[0];
  int entryCount;
  int[] entryRun = new int[0];
  long[] entryOffset = new long[0];
  int[] entryLength = new int[0];
  int[] entryRecords = new int[0];
  int[] entryRawLength = new int[0];
  int[] keyOffset = new int[1];
  byte[] keys = new byte[0];
  boolean keysEncrypted;

  private TailTables() {}

  /**
   * Reads both tables.
   *
   * @param bytes from the source table on
   * @param blocksEnd where the blocks end in the chunk
   */
  static TailTables parse(
      ByteBuffer bytes, int sourcesLength, int indexLength, long blocksEnd, int runs)
      throws FormatException {
    TailTables tables = new TailTables();
    tables.parseSources(bytes, sourcesLength);
    tables.parseIndex(bytes, sourcesLength, indexLength, blocksEnd, runs);
    return tables;
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

  private void parseSources(ByteBuffer bytes, int length) throws FormatException {
    int count = checkTable(bytes, 0, length, SOURCES_MAGIC, SOURCE_LENGTH);
    if (length != TABLE_OVERHEAD + count * SOURCE_LENGTH) {
      throw new CorruptFormatException(
          "source table is out of bounds: count=" + count + " length=" + length);
    }
    sourceCount = count;
    sources = new int[count * SOURCE_FIELDS];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = bytes.getInt(8 + i * Integer.BYTES);
    }
  }

  private void parseIndex(ByteBuffer bytes, int start, int length, long blocksEnd, int runs)
      throws FormatException {
    keysEncrypted = bytes.getInt(start) == ENCRYPTED_INDEX_MAGIC;
    int magic = keysEncrypted ? ENCRYPTED_INDEX_MAGIC : INDEX_MAGIC;
    int count = checkTable(bytes, start, length, magic, ENTRY_FIXED_LENGTH);
    int end = start + length - Integer.BYTES;
    if (runs < 0 || runs > Math.max(1, count)) {
      throw new CorruptFormatException(
          "chunk footer is out of bounds: runs=" + runs + " index entries=" + count);
    }
    allocateEntries(count, length - TABLE_OVERHEAD - count * ENTRY_FIXED_LENGTH);
    int position = start + 8;
    for (int entry = 0; entry < count; entry++) {
      if (end - position < ENTRY_FIXED_LENGTH) {
        throw new CorruptFormatException("chunk index ends inside entry=" + entry);
      }
      int keyLength = bytes.getShort(position + 24);
      checkKeyLength(entry, keyLength, end - position - ENTRY_FIXED_LENGTH);
      parseEntry(bytes, position, entry, blocksEnd, runs);
      position += ENTRY_FIXED_LENGTH;
      keyOffset[entry + 1] = keyOffset[entry] + keyLength;
      if (!keysEncrypted) {
        bytes.get(position, keys, keyOffset[entry], keyLength);
        position += keyLength;
      }
    }
    if (keysEncrypted && end - position == keyOffset[count] + BlockHeader.ENCRYPTION_OVERHEAD) {
      bytes.get(position, keys);
      position = end;
    }
    if (position != end) {
      throw new CorruptFormatException(
          "chunk index has bytes behind its entries: count=" + (end - position));
    }
  }

  private void checkKeyLength(int entry, int keyLength, int readable)
      throws CorruptFormatException {
    boolean valid =
        keyLength >= 0
            && keyLength <= ChunkTail.MAX_KEY_LENGTH
            && keyLength <= readable
            && keyLength <= keys.length - keyOffset[entry];
    if (!valid) {
      throw new CorruptFormatException(
          "chunk index is out of bounds: entry=" + entry + " key length=" + keyLength);
    }
  }

  private void parseEntry(ByteBuffer bytes, int position, int entry, long blocksEnd, int runs)
      throws CorruptFormatException {
    int run = bytes.getInt(position);
    long offset = bytes.getLong(position + 4);
    int blockLength = bytes.getInt(position + 12);
    int blockRecords = bytes.getInt(position + 16);
    int rawLength = bytes.getInt(position + 20);
    boolean valid =
        run >= (entry == 0 ? 0 : entryRun[entry - 1])
            && run < runs
            && blockRecords >= 0
            && rawLength >= 0
            && offset >= ChunkHeader.LENGTH
            && blockLength >= BlockHeader.LENGTH
            && offset <= blocksEnd - blockLength;
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
              + rawLength);
    }
    putEntry(entry, run, offset, blockLength);
    putCounts(entry, blockRecords, rawLength);
  }

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
