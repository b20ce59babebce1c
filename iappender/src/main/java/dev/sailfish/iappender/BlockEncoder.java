package dev.sailfish.iappender;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Credentials;
import java.nio.ByteBuffer;

/** Compresses, encrypts if the job is to be, and checksums the records of a block. */
final class BlockEncoder {
  private final MapAttempt attempt;
  private final CodecId codec;
  private final BufferPool pool;
  private final DataCipher cipher;
  private final int flags;
  private BlockCompression compression;

  /**
   * An encoder; when nothing is encrypted nothing of that is loaded.
   *
   * @param credentials of the job, whose data is encrypted with a key that follows from theirs
   */
  BlockEncoder(
      MapAttempt attempt,
      IfileSpec spec,
      BufferPool pool,
      Credentials credentials,
      boolean encrypted) {
    this.attempt = attempt;
    this.codec = spec.codec();
    this.pool = pool;
    this.cipher = encrypted ? new DataCipher(credentials.dataKey()) : null;
    int sorted = spec.order().ordering() == Ordering.COMPARATOR ? BlockHeader.FLAG_SORTED : 0;
    this.flags = sorted | (encrypted ? BlockHeader.FLAG_ENCRYPTED : 0);
  }

  /**
   * Takes an array for the stored bytes of {@code rawLength} bytes of records, and compresses them.
   * When they do not get shorter the block is stored as it is, in the array that it is in.
   */
  EncodedBlock encode(byte[] raw, int offset, int rawLength) {
    if (compresses()) {
      byte[] stored = pool.take(maxLength(rawLength));
      int length = compression.compress(raw, offset, rawLength, stored, 0);
      if (length < rawLength) {
        return new EncodedBlock(codec, stored, 0, length, rawLength, false);
      }
      pool.give(stored);
    }
    return EncodedBlock.plain(raw, offset, rawLength);
  }

  /**
   * Compresses records to a place in an array with room for {@link #maxLength} of them; when they
   * do not get shorter they are copied as they are.
   */
  EncodedBlock encode(byte[] raw, int offset, int rawLength, byte[] target, int start) {
    int length = compression.compress(raw, offset, rawLength, target, start);
    if (length < rawLength) {
      return new EncodedBlock(codec, target, start, length, rawLength, false);
    }
    System.arraycopy(raw, offset, target, start, rawLength);
    return EncodedBlock.plain(target, start, rawLength);
  }

  /** Whether records are compressed. */
  boolean compresses() {
    return codec != CodecId.NONE;
  }

  /** The most bytes that so many bytes of records take while they are encoded. */
  int maxLength(int rawLength) {
    if (!compresses()) {
      return rawLength;
    }
    if (compression == null) {
      compression = BlockCompression.of(codec);
    }
    return compression.maxCompressedLength(rawLength);
  }

  /**
   * The block as it is to be stored: encrypted, if the job is; then what it was in goes back to the
   * pool.
   */
  EncodedBlock protect(EncodedBlock block, int partition, int sequence, int records) {
    if (cipher == null) {
      return block;
    }
    byte[] stored = pool.take(block.length() + BlockHeader.ENCRYPTION_OVERHEAD);
    ByteBuffer plain = ByteBuffer.wrap(block.bytes());
    int length =
        cipher
            .ofBlock(header(block, partition, sequence, records, 0))
            .encrypt(plain, block.offset(), block.length(), ByteBuffer.wrap(stored), 0);
    pool.give(block.bytes());
    return new EncodedBlock(block.codec(), stored, 0, length, block.rawLength(), false);
  }

  /** The header of a block as it is stored. */
  BlockHeader header(EncodedBlock block, int partition, int sequence, int records) {
    int checksum = Checksum.of(block.bytes(), block.offset(), block.length());
    return header(block, partition, sequence, records, checksum);
  }

  private BlockHeader header(
      EncodedBlock block, int partition, int sequence, int records, int checksum) {
    return new BlockHeader(
        block.codec(),
        block.run() ? flags | BlockHeader.FLAG_RUN : flags,
        partition,
        attempt.map(),
        attempt.attempt(),
        sequence,
        records,
        block.rawLength(),
        block.length(),
        checksum);
  }

  /**
   * The stored bytes of a block.
   *
   * @param codec how they are compressed
   * @param bytes the array they are in: a new one, or that of the records
   * @param offset where they begin
   * @param length how many
   * @param rawLength how many before compression
   * @param run whether they are a run of blocks
   */
  record EncodedBlock(
      CodecId codec, byte[] bytes, int offset, int length, int rawLength, boolean run) {
    /** Records as they are. */
    static EncodedBlock plain(byte[] bytes, int offset, int length) {
      return new EncodedBlock(CodecId.NONE, bytes, offset, length, length, false);
    }

    /** A run, from the beginning of its array. */
    static EncodedBlock ofRun(byte[] bytes, int length, int rawLength) {
      return new EncodedBlock(CodecId.NONE, bytes, 0, length, rawLength, true);
    }
  }
}
