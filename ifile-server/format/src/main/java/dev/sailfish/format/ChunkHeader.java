package dev.sailfish.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first 128 bytes of every chunk.
 *
 * <pre>
 *    0           8     10    11    12          16          24
 *   +-----------+-----+-----+-----+-----------+-----------+-----+------------------+
 *   | "SFCHUNK1"| ver | ord |codec| partition | chunk id  |jobN | job id, UTF-8    |
 *   +-----------+-----+-----+-----+-----------+-----------+-----+------------------+
 *   26+jobN ... 0 ...                                   123         124         128
 *   +---------------------------------------------------+-----------+-----------+
 *   | zero                                              | encrypted | header CRC|
 *   +---------------------------------------------------+-----------+-----------+
 * </pre>
 *
 * <p>Behind it blocks stand back to back ({@link BlockHeader}). A SORTED chunk ends with its tail
 * ({@code ChunkTail}).
 *
 * @param job id of the job, at most {@link #MAX_JOB_LENGTH} bytes in UTF-8
 * @param partition partition of the job, from 0
 * @param chunkId id that the metaserver gave
 * @param ordering who knows the key order
 * @param codec the codec that the chunksorter writes sorted blocks with
 * @param encrypted whether all blocks that hold records are encrypted, and the keys of the index
 */
public record ChunkHeader(
    String job, int partition, long chunkId, Ordering ordering, CodecId codec, boolean encrypted) {
  /** Length of the header in bytes. */
  public static final int LENGTH = 128;

  /** The longest job id in UTF-8 bytes. */
  public static final int MAX_JOB_LENGTH = 96;

  private static final long MAGIC = 0x53464348554e4b31L;
  private static final int VERSION = 2;
  private static final int VERSION_OFFSET = 8;
  private static final int ORDERING_OFFSET = 10;
  private static final int CODEC_OFFSET = 11;
  private static final int PARTITION_OFFSET = 12;
  private static final int CHUNK_ID_OFFSET = 16;
  private static final int JOB_LENGTH_OFFSET = 24;
  private static final int JOB_OFFSET = 26;
  private static final int ENCRYPTED_OFFSET = 123;
  private static final int CHECKSUM_OFFSET = 124;

  /** Of a chunk that is not encrypted. */
  public ChunkHeader(String job, int partition, long chunkId, Ordering ordering, CodecId codec) {
    this(job, partition, chunkId, ordering, codec, false);
  }

  /** The same of another chunk of the I-file. */
  public ChunkHeader withChunkId(long id) {
    return new ChunkHeader(job, partition, id, ordering, codec, encrypted);
  }

  /**
   * Whether a block is one that may have been appended to this chunk: of its partition, from a map
   * attempt, encrypted if the chunk is, and sorted if servers cannot do that: only then it may be a
   * run.
   */
  public boolean takes(BlockHeader block) {
    return block.partition() == partition
        && block.map() >= 0
        && block.attempt() >= 0
        && !block.tagged()
        && block.encrypted() == encrypted
        && (ordering == Ordering.NORMALIZED ? !block.isRun() : block.sorted());
  }

  /** Writes the header at the absolute position 0 of a big-endian buffer. */
  public void write(ByteBuffer buffer) {
    byte[] jobBytes = job.getBytes(StandardCharsets.UTF_8);
    if (jobBytes.length > MAX_JOB_LENGTH) {
      throw new IllegalArgumentException(
          "job id is too long: bytes=" + jobBytes.length + " limit=" + MAX_JOB_LENGTH);
    }
    buffer.put(0, new byte[LENGTH]);
    buffer.putLong(0, MAGIC);
    buffer.putShort(VERSION_OFFSET, (short) VERSION);
    buffer.put(ORDERING_OFFSET, (byte) ordering.code());
    buffer.put(CODEC_OFFSET, (byte) codec.code());
    buffer.putInt(PARTITION_OFFSET, partition);
    buffer.putLong(CHUNK_ID_OFFSET, chunkId);
    buffer.putShort(JOB_LENGTH_OFFSET, (short) jobBytes.length);
    buffer.put(JOB_OFFSET, jobBytes);
    buffer.put(ENCRYPTED_OFFSET, (byte) (encrypted ? 1 : 0));
    Checksum.put(buffer, 0, CHECKSUM_OFFSET);
  }

  /**
   * What the blocks appended to this chunk are marked with: the header's checksum, so that a mark
   * tells chunks apart as well as 32 bits can. The header must have been written or read.
   */
  public static int mark(ByteBuffer chunk) {
    return chunk.getInt(CHECKSUM_OFFSET);
  }

  /**
   * Reads and checks the header at the absolute position 0 of a big-endian buffer.
   *
   * @param limit where the readable bytes end
   * @throws FormatException corrupt, truncated or too new
   */
  public static ChunkHeader read(ByteBuffer buffer, long limit) throws FormatException {
    if (limit < LENGTH) {
      throw new TruncatedFormatException(
          "chunk header is cut off: readable=" + limit + " needed=" + LENGTH);
    }
    long magic = buffer.getLong(0);
    if (magic != MAGIC) {
      throw new CorruptFormatException("not a chunk: magic=%x expected=%x".formatted(magic, MAGIC));
    }
    Checksum.check(buffer, 0, CHECKSUM_OFFSET, "chunk header");
    UnsupportedFormatException.check("chunk", buffer.getShort(VERSION_OFFSET), VERSION);
    int jobLength = buffer.getShort(JOB_LENGTH_OFFSET);
    if (jobLength < 0 || jobLength > MAX_JOB_LENGTH) {
      throw new CorruptFormatException(
          "chunk header is out of bounds: jobLength=" + jobLength + " limit=" + MAX_JOB_LENGTH);
    }
    byte[] job = new byte[jobLength];
    buffer.get(JOB_OFFSET, job);
    return new ChunkHeader(
        new String(job, StandardCharsets.UTF_8),
        buffer.getInt(PARTITION_OFFSET),
        buffer.getLong(CHUNK_ID_OFFSET),
        Ordering.ofCode(buffer.get(ORDERING_OFFSET)),
        CodecId.ofCode(buffer.get(CODEC_OFFSET)),
        buffer.get(ENCRYPTED_OFFSET) != 0);
  }
}
