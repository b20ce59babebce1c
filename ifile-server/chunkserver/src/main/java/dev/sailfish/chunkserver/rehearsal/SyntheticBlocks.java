package dev.sailfish.chunkserver.rehearsal;

import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Blocks of one chunk as an iappender makes them, of records that mean nothing: keys of 10 random
 * bytes and values of 90, of which half compresses away. The same each time. Each block is a map's
 * of its own. For one thread.
 */
final class SyntheticBlocks {
  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 90;
  private static final int CONSTANT_VALUE_BYTES = 42;
  private static final int RECORD_BYTES =
      RecordDescriptor.headerLength(KEY_BYTES, VALUE_BYTES) + KEY_BYTES + VALUE_BYTES;

  private final SplittableRandom random = new SplittableRandom(1);
  private final ChunkSpec spec;
  private final BlockCompression compression;
  private final byte[] raw;
  private final ByteBuffer keys;
  private final byte[] stored;
  private final int records;

  /**
   * @param spec of the chunk that the blocks are for
   * @param records of each block
   */
  SyntheticBlocks(ChunkSpec spec, int records) {
    this.spec = spec;
    this.records = records;
    this.compression = BlockCompression.of(spec.codec());
    this.raw = new byte[records * RECORD_BYTES];
    this.keys = ByteBuffer.wrap(raw);
    this.stored = new byte[compression.maxCompressedLength(raw.length)];
  }

  /** The block of a map; good until the next one is made. */
  ByteBuffer[] of(int map) {
    random.nextBytes(raw);
    for (int i = 0; i < records; i++) {
      int end = (i + 1) * RECORD_BYTES;
      RecordDescriptor.putHeader(raw, i * RECORD_BYTES, KEY_BYTES, VALUE_BYTES);
      Arrays.fill(raw, end - CONSTANT_VALUE_BYTES, end, (byte) 'v');
      if (spec.ordering() == Ordering.COMPARATOR) {
        // In order: who knows the order has sorted such a block.
        keys.putInt(end - VALUE_BYTES - KEY_BYTES, i);
      }
    }
    int length = compression.compress(raw, 0, raw.length, stored, 0);
    ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
    header(map, length).write(header, 0);
    return new ByteBuffer[] {header, ByteBuffer.wrap(stored, 0, length)};
  }

  private BlockHeader header(int map, int length) {
    return new BlockHeader(
        spec.codec(),
        spec.ordering() == Ordering.COMPARATOR ? BlockHeader.FLAG_SORTED : 0,
        spec.partition(),
        map,
        0,
        0,
        records,
        raw.length,
        length,
        Checksum.of(stored, 0, length));
  }
}
