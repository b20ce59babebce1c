package dev.sailfish.format;

import java.nio.ByteBuffer;

/**
 * The header of a block: a batch of records of one partition, the unit of append, acknowledgement,
 * checksum and compression.
 *
 * <pre>
 *    0        4     5     6     7     8
 *   +--------+-----+-----+-----+-----+-----------+-----------+-----------+
 *   | "SFB1" | ver |codec|flags|  0  | partition | map       | attempt   |
 *   +--------+-----+-----+-----+-----+-----------+-----------+-----------+
 *   20                   24          28          32          36
 *   +-----------+-----------+-----------+-----------+-----------+
 *   | sequence  | records   | raw len   | stored len| stored CRC|
 *   +-----------+-----------+-----------+-----------+-----------+
 *   40          44          48
 *   +-----------+-----------+---------------------------------------+
 *   | mark      | header CRC| stored bytes (stored length of them)  |
 *   +-----------+-----------+---------------------------------------+
 * </pre>
 *
 * <p>{@code raw length} is the length of the records ({@link RecordDescriptor}) before compression,
 * {@code stored length} after it; with codec NONE they are equal. {@code stored CRC} covers the
 * stored bytes, {@code header CRC} the 44 bytes before it. In a sorted block {@code map} and {@code
 * attempt} are {@link #NO_MAP} and {@code sequence} is the ordinal of the block in its run.
 *
 * <p>The stored bytes of an encrypted block are the compressed records as {@code
 * dev.sailfish.codec.DataCipher} writes them, {@link #ENCRYPTION_OVERHEAD} bytes longer. The
 * checksum covers them as they are stored, so that it can be verified without the key.
 *
 * <p>The stored bytes of a block with {@link #FLAG_RUN} are blocks again ({@link RunDescriptor});
 * {@code codec} is NONE, whatever these are compressed with, and {@code records} and {@code raw
 * length} are theirs together.
 *
 * <p>{@code mark} says which chunk a block was appended to ({@link ChunkHeader#mark}): memory that
 * held an older chunk may have headers of its blocks at any place. Everywhere else it is {@link
 * #NO_MARK}. It is no property of the block and not in this record.
 *
 * @param codec how the records are compressed
 * @param flags {@link #FLAG_SORTED}, {@link #FLAG_TAGGED}, {@link #FLAG_ENCRYPTED}, {@link
 *     #FLAG_RUN}
 * @param partition partition of the job, from 0
 * @param map ordinal of the map task, or {@link #NO_MAP}
 * @param attempt number of the map attempt, or {@link #NO_MAP}
 * @param sequence number of the block among those of its (map, attempt, partition), from 0
 * @param records how many records
 * @param rawLength bytes before compression
 * @param storedLength bytes after compression and encryption
 * @param storedChecksum CRC32C of the stored bytes
 */
public record BlockHeader(
    CodecId codec,
    int flags,
    int partition,
    int map,
    int attempt,
    int sequence,
    int records,
    int rawLength,
    int storedLength,
    int storedChecksum) {
  /** Length of the header in bytes. */
  public static final int LENGTH = 48;

  /** The records are in key order. */
  public static final int FLAG_SORTED = 1;

  /** Every record has a source ordinal before it. */
  public static final int FLAG_TAGGED = 2;

  /** The stored bytes are encrypted. */
  public static final int FLAG_ENCRYPTED = 4;

  /**
   * The stored bytes are blocks in the order of their keys; goes with {@link #FLAG_SORTED} only.
   */
  public static final int FLAG_RUN = 8;

  /** How much longer encrypted bytes are than plain ones: a nonce before and a tag behind them. */
  public static final int ENCRYPTION_OVERHEAD = 40;

  /** {@code map} and {@code attempt} of a block that holds records of several map attempts. */
  public static final int NO_MAP = -1;

  /** The mark of a block that is not where it was appended to. */
  public static final int NO_MARK = 0;

  /** The longest block, before and after compression, in bytes; encryption comes on top. */
  public static final int MAX_LENGTH = 1 << 30;

  private static final int MAGIC = 0x53464231;
  private static final int VERSION = 2;
  private static final int VERSION_OFFSET = 4;
  private static final int CODEC_OFFSET = 5;
  private static final int FLAGS_OFFSET = 6;
  private static final int PARTITION_OFFSET = 8;
  private static final int MAP_OFFSET = 12;
  private static final int ATTEMPT_OFFSET = 16;
  private static final int SEQUENCE_OFFSET = 20;
  private static final int RECORDS_OFFSET = 24;
  private static final int RAW_LENGTH_OFFSET = 28;
  private static final int STORED_LENGTH_OFFSET = 32;
  private static final int STORED_CHECKSUM_OFFSET = 36;
  private static final int MARK_OFFSET = 40;
  private static final int CHECKSUM_OFFSET = 44;

  /**
   * The header of a void block: one without records, over bytes that mean nothing. A chunkserver
   * fills room with it that was reserved for a block which never arrived whole. Void blocks are
   * neither sources nor in an index; walkers over a chunk pass them by.
   *
   * @param length of the bytes behind the header
   * @param checksum CRC32C of those bytes
   */
  public static BlockHeader ofVoid(int partition, int length, int checksum) {
    return new BlockHeader(
        CodecId.NONE, 0, partition, NO_MAP, NO_MAP, 0, 0, length, length, checksum);
  }

  /** Whether it is a void block ({@link #ofVoid}). */
  public boolean isVoid() {
    return map == NO_MAP && records == 0;
  }

  /** Whether the records are in key order. */
  public boolean sorted() {
    return (flags & FLAG_SORTED) != 0;
  }

  /** Whether every record has a source ordinal before it. */
  public boolean tagged() {
    return (flags & FLAG_TAGGED) != 0;
  }

  /** Whether the stored bytes are encrypted. */
  public boolean encrypted() {
    return (flags & FLAG_ENCRYPTED) != 0;
  }

  /** Whether the stored bytes are blocks in the order of their keys. */
  public boolean isRun() {
    return (flags & FLAG_RUN) != 0;
  }

  /** How many of the stored bytes encryption has added. */
  public int encryptionOverhead() {
    return encrypted() ? ENCRYPTION_OVERHEAD : 0;
  }

  /** The header of the same block with other stored bytes. */
  public BlockHeader withStored(int length, int checksum) {
    return new BlockHeader(
        codec, flags, partition, map, attempt, sequence, records, rawLength, length, checksum);
  }

  /** Length of header and stored bytes together. */
  public int blockLength() {
    return LENGTH + storedLength;
  }

  /** Writes the header at the absolute position {@code offset} of a big-endian buffer. */
  public void write(ByteBuffer buffer, int offset) {
    write(buffer, offset, NO_MARK);
  }

  /**
   * Writes the header of a block that is appended.
   *
   * @param mark of its chunk
   */
  public void write(ByteBuffer buffer, int offset, int mark) {
    buffer.putInt(offset, MAGIC);
    buffer.put(offset + VERSION_OFFSET, (byte) VERSION);
    buffer.put(offset + CODEC_OFFSET, (byte) codec.code());
    buffer.putShort(offset + FLAGS_OFFSET, (short) (flags << 8));
    buffer.putInt(offset + PARTITION_OFFSET, partition);
    buffer.putInt(offset + MAP_OFFSET, map);
    buffer.putInt(offset + ATTEMPT_OFFSET, attempt);
    buffer.putInt(offset + SEQUENCE_OFFSET, sequence);
    buffer.putInt(offset + RECORDS_OFFSET, records);
    buffer.putInt(offset + RAW_LENGTH_OFFSET, rawLength);
    buffer.putInt(offset + STORED_LENGTH_OFFSET, storedLength);
    buffer.putInt(offset + STORED_CHECKSUM_OFFSET, storedChecksum);
    buffer.putInt(offset + MARK_OFFSET, mark);
    Checksum.put(buffer, offset, CHECKSUM_OFFSET);
  }

  /**
   * How long the block at {@code offset} is, judged by magic, mark and length alone: so that a scan
   * of what a dead process has left can step over a block that never became whole. An appended
   * block keeps these three from the moment at which anything may stand behind it.
   *
   * @param limit where the readable bytes end
   * @param mark of the chunk
   * @return length of header and stored bytes; 0 when no block of this chunk begins here
   */
  static int markedLength(ByteBuffer buffer, int offset, int limit, int mark) {
    if (limit - offset < LENGTH
        || buffer.getInt(offset) != MAGIC
        || buffer.getInt(offset + MARK_OFFSET) != mark) {
      return 0;
    }
    int stored = buffer.getInt(offset + STORED_LENGTH_OFFSET);
    return stored < 0 || stored > limit - offset - LENGTH ? 0 : LENGTH + stored;
  }

  /** Whether a block seems to begin at an absolute position; {@link #read} tells for sure. */
  public static boolean isBlock(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset) == MAGIC;
  }

  /**
   * Reads and checks the header at the absolute position {@code offset} of a big-endian buffer. The
   * stored bytes need not be there yet.
   *
   * @param limit where the readable bytes end
   * @throws TruncatedFormatException when fewer than {@link #LENGTH} bytes are there
   * @throws CorruptFormatException when magic, checksum or a bound does not hold
   * @throws UnsupportedFormatException when a newer version or an unknown codec wrote it
   */
  public static BlockHeader read(ByteBuffer buffer, int offset, int limit) throws FormatException {
    if (limit - offset < LENGTH) {
      throw new TruncatedFormatException(
          "block header is cut off: offset=%s readable=%s needed=%s"
              .formatted(offset, limit - offset, LENGTH));
    }
    int magic = buffer.getInt(offset);
    if (magic != MAGIC) {
      throw new CorruptFormatException(
          "no block at offset=%s: magic=%x expected=%x".formatted(offset, magic, MAGIC));
    }
    Checksum.check(buffer, offset, CHECKSUM_OFFSET, "block header");
    UnsupportedFormatException.check("block", buffer.get(offset + VERSION_OFFSET), VERSION);
    BlockHeader header =
        new BlockHeader(
            CodecId.ofCode(buffer.get(offset + CODEC_OFFSET)),
            buffer.get(offset + FLAGS_OFFSET),
            buffer.getInt(offset + PARTITION_OFFSET),
            buffer.getInt(offset + MAP_OFFSET),
            buffer.getInt(offset + ATTEMPT_OFFSET),
            buffer.getInt(offset + SEQUENCE_OFFSET),
            buffer.getInt(offset + RECORDS_OFFSET),
            buffer.getInt(offset + RAW_LENGTH_OFFSET),
            buffer.getInt(offset + STORED_LENGTH_OFFSET),
            buffer.getInt(offset + STORED_CHECKSUM_OFFSET));
    header.checkBounds();
    return header;
  }

  private void checkBounds() throws CorruptFormatException {
    boolean raw = rawLength >= 0 && rawLength <= MAX_LENGTH;
    // A record takes at least two bytes: both its lengths.
    boolean counts = records >= 0 && records <= rawLength / 2;
    if (!raw || !counts || !isStoredInBounds() || partition < 0 || sequence < 0) {
      throw new CorruptFormatException("block header is out of bounds: " + this);
    }
  }

  private boolean isStoredInBounds() {
    if (isRun()) {
      return flags == (FLAG_RUN | FLAG_SORTED)
          && codec == CodecId.NONE
          && storedLength >= 0
          && storedLength <= rawLength + RunDescriptor.mostOverhead(rawLength);
    }
    return storedLength >= encryptionOverhead()
        && storedLength <= MAX_LENGTH + encryptionOverhead()
        && (codec != CodecId.NONE || rawLength == storedLength - encryptionOverhead());
  }

  /**
   * Checks the stored bytes at {@code offset} against the header.
   *
   * @throws CorruptFormatException naming both checksums when they differ
   */
  public void checkStored(byte[] bytes, int offset) throws CorruptFormatException {
    checkStored(Checksum.of(bytes, offset, storedLength));
  }

  /**
   * Checks the stored bytes at the absolute position {@code offset} against the header.
   *
   * @throws CorruptFormatException naming both checksums when they differ
   */
  public void checkStored(ByteBuffer bytes, int offset) throws CorruptFormatException {
    checkStored(Checksum.of(bytes, offset, storedLength));
  }

  private void checkStored(int computed) throws CorruptFormatException {
    if (computed != storedChecksum) {
      throw new CorruptFormatException(
          ("block is damaged: partition=%s map=%s attempt=%s sequence=%s length=%s checksum=%x"
                  + " computed=%x")
              .formatted(
                  partition, map, attempt, sequence, storedLength, storedChecksum, computed));
    }
  }
}
