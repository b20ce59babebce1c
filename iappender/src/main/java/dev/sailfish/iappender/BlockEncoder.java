package dev.sailfish.iappender;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;

/** Compresses and checksums the records of a block. */
final class BlockEncoder {
  private final AttemptId attempt;
  private final CodecId codec;
  private final BufferPool pool;
  private BlockCompression compression;

  BlockEncoder(AttemptId attempt, CodecId codec, BufferPool pool) {
    this.attempt = attempt;
    this.codec = codec;
    this.pool = pool;
  }

  /**
   * Takes an array for the stored bytes of {@code rawLength} bytes of records, and compresses them.
   * When they do not get shorter the block is stored as it is, in the array that it is in.
   */
  EncodedBlock encode(byte[] raw, int offset, int rawLength) {
    if (codec != CodecId.NONE) {
      if (compression == null) {
        compression = BlockCompression.of(codec);
      }
      byte[] stored = pool.take(compression.maxCompressedLength(rawLength));
      int length = compression.compress(raw, offset, rawLength, stored, 0);
      if (length < rawLength) {
        return new EncodedBlock(codec, stored, 0, length, rawLength);
      }
      pool.give(stored);
    }
    return new EncodedBlock(CodecId.NONE, raw, offset, rawLength, rawLength);
  }

  /** The header of an encoded block. */
  BlockHeader header(EncodedBlock block, int flags, int partition, int sequence, int records) {
    return new BlockHeader(
        block.codec(),
        flags,
        partition,
        attempt.map(),
        attempt.attempt(),
        sequence,
        records,
        block.rawLength(),
        block.length(),
        Checksum.of(block.bytes(), block.offset(), block.length()));
  }

  /**
   * The stored bytes of a block.
   *
   * @param codec how they are compressed
   * @param bytes the array they are in: a new one, or that of the records
   * @param offset where they begin
   * @param length how many
   * @param rawLength how many before compression
   */
  record EncodedBlock(CodecId codec, byte[] bytes, int offset, int length, int rawLength) {}
}
