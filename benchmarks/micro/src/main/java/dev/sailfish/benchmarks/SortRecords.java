package dev.sailfish.benchmarks;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Records as the partitioned sort has them: keys of 10 random printable bytes, values of 90 bytes
 * of which the first 48 are random and printable and the others always the same, so that records
 * compress to about half. The same seed gives the same records.
 */
public final class SortRecords {
  /** Length of a key in bytes. */
  public static final int KEY_LENGTH = 10;

  /** Length of a value in bytes. */
  public static final int VALUE_LENGTH = 90;

  /** Length of a record with its header in bytes. */
  public static final int LENGTH =
      RecordDescriptor.headerLength(KEY_LENGTH, VALUE_LENGTH) + KEY_LENGTH + VALUE_LENGTH;

  private static final int RANDOM_VALUE_LENGTH = 48;

  private final SplittableRandom random;

  /** Records from this seed. */
  public SortRecords(long seed) {
    random = new SplittableRandom(seed);
  }

  /** The key of one more record, alone. */
  public byte[] nextKey() {
    byte[] key = new byte[KEY_LENGTH];
    putPrintable(key, 0, KEY_LENGTH);
    return key;
  }

  /** A block of so many records in the order in which they come. */
  public byte[] nextBlock(int records) {
    byte[] block = new byte[records * LENGTH];
    int position = 0;
    for (int i = 0; i < records; i++) {
      position = RecordDescriptor.putHeader(block, position, KEY_LENGTH, VALUE_LENGTH);
      int constant = position + KEY_LENGTH + RANDOM_VALUE_LENGTH;
      putPrintable(block, position, constant);
      position += KEY_LENGTH + VALUE_LENGTH;
      Arrays.fill(block, constant, position, (byte) 'v');
    }
    return block;
  }

  /**
   * Fills a chunk with uncompressed blocks as map tasks append them, one of each task.
   *
   * @param chunk from its start to its capacity; its position and limit are not used
   * @param firstMap the task of the first block
   * @return length of the chunk in bytes
   */
  public int fillChunk(ByteBuffer chunk, int firstMap, int recordsPerBlock) {
    new ChunkHeader("job_1_1", 0, firstMap + 1, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    int raw = recordsPerBlock * LENGTH;
    int position = ChunkHeader.LENGTH;
    for (int map = firstMap; position + BlockHeader.LENGTH + raw <= chunk.capacity(); map++) {
      byte[] block = nextBlock(recordsPerBlock);
      int checksum = Checksum.of(block, 0, raw);
      new BlockHeader(CodecId.NONE, 0, 0, map, 0, 0, recordsPerBlock, raw, raw, checksum)
          .write(chunk, position);
      chunk.put(position + BlockHeader.LENGTH, block);
      position += BlockHeader.LENGTH + raw;
    }
    return position;
  }

  /** Six random bits per byte. */
  private void putPrintable(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      bytes[i] = (byte) random.nextInt(' ', ' ' + 64);
    }
  }
}
