package dev.sailfish.imerger.merge;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.imerger.fetch.MetaserverCalls;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What all runs of a merge share: decrypts and decompresses blocks, and counts the memory that they
 * and their chunks hold. Nothing of encryption is loaded unless the job is encrypted. For one
 * thread.
 */
public final class BlockDecoder {
  private final MetaserverCalls metaserver;
  private final long memoryBytes;
  private long heldBytes;
  private BlockCompression compression;
  private DataCipher cipher;
  private byte[] decrypted = new byte[0];

  /**
   * @param metaserver knows whether the job is encrypted, and with what key
   * @param memoryBytes limit of what is held
   */
  public BlockDecoder(MetaserverCalls metaserver, long memoryBytes) {
    this.metaserver = metaserver;
    this.memoryBytes = memoryBytes;
  }

  /** Counts {@code bytes} more (or fewer) as held. */
  public void hold(long bytes) {
    heldBytes += bytes;
  }

  /** Bytes that are held; more than the limit when something was too large for it. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Bytes that may still be taken; may be negative. */
  public long freeBytes() {
    return memoryBytes - heldBytes;
  }

  /** Whether the job's data is encrypted, as the metaserver has said. */
  public boolean encrypted() {
    return metaserver.encrypted();
  }

  /** The partition whose blocks it decodes. */
  int partition() {
    return metaserver.partition();
  }

  /** The cipher of an encrypted job. */
  DataCipher cipher() throws IOException {
    if (cipher == null) {
      cipher = new DataCipher(metaserver.dataKey());
    }
    return cipher;
  }

  /**
   * Decodes a block whose records are not as they are stored.
   *
   * @param stored its stored bytes at {@code offset}
   * @param chunk id of the chunk that a sorted block is in, or 0
   * @param place of a sorted block in its chunk or file, or 0
   * @param raw takes the records at {@code start}
   */
  void decode(
      BlockHeader header, byte[] stored, int offset, long chunk, long place, byte[] raw, int start)
      throws IOException {
    int length = header.storedLength();
    if (!header.encrypted()) {
      decompress(header, stored, offset, length, raw, start);
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    DataCipher ofBlock = cipher().ofBlock(header, chunk, place);
    if (header.codec() == CodecId.NONE) {
      ofBlock.decrypt(bytes, offset, length, ByteBuffer.wrap(raw), start);
      return;
    }
    int plainLength = length - BlockHeader.ENCRYPTION_OVERHEAD;
    if (decrypted.length < plainLength) {
      hold(plainLength - decrypted.length);
      decrypted = new byte[plainLength];
    }
    ofBlock.decrypt(bytes, offset, length, ByteBuffer.wrap(decrypted), 0);
    decompress(header, decrypted, 0, plainLength, raw, start);
  }

  private void decompress(
      BlockHeader header, byte[] bytes, int offset, int length, byte[] raw, int start)
      throws IOException {
    // All compressed blocks of a job have one codec.
    if (compression == null || compression.id() != header.codec()) {
      compression = BlockCompression.of(header.codec());
    }
    compression.decompress(bytes, offset, length, raw, start, header.rawLength());
  }

  /** The tail of a chunk with the keys of its index decrypted. */
  public ChunkTail withKeys(ChunkTail tail, long chunk) throws IOException {
    byte[] keys = tail.encryptedKeys();
    byte[] plain = new byte[keys.length - BlockHeader.ENCRYPTION_OVERHEAD];
    cipher()
        .ofIndex(partition(), chunk, tail.offset())
        .decrypt(ByteBuffer.wrap(keys), 0, keys.length, ByteBuffer.wrap(plain), 0);
    return tail.withKeys(plain);
  }
}
