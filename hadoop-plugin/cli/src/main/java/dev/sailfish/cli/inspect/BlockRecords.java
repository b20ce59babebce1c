package dev.sailfish.cli.inspect;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.tail.IndexedBlockCursor;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/** The records of one block after the other; keeps its arrays for the next one. */
final class BlockRecords {
  private final Map<CodecId, BlockCompression> compressions = new EnumMap<>(CodecId.class);
  private final RecordCursor cursor = new RecordCursor();
  private byte[] stored = new byte[0];
  private byte[] raw = new byte[0];

  /**
   * Checks the checksum of a block that is neither encrypted nor a run, decompresses it and puts
   * the cursor before its first record.
   *
   * @return the cursor; valid until the next call
   */
  RecordCursor open(ByteBuffer file, PlacedBlock block) throws FormatException {
    BlockHeader header = block.header();
    block.checkStored(file);
    stored = atLeast(stored, header.storedLength());
    file.get(block.storedOffset(), stored, 0, header.storedLength());
    byte[] records = stored;
    if (header.codec() != CodecId.NONE) {
      raw = atLeast(raw, header.rawLength());
      compressions
          .computeIfAbsent(header.codec(), BlockCompression::of)
          .decompress(stored, 0, header.storedLength(), raw, 0, header.rawLength());
      records = raw;
    }
    int length = header.isVoid() ? 0 : header.rawLength();
    cursor.reset(records, 0, length, header.tagged());
    return cursor;
  }

  /**
   * Counts the records of a block against its header; of a run those of its blocks, of an encrypted
   * block only its checksum.
   */
  void check(ByteBuffer file, PlacedBlock block) throws FormatException {
    if (block.header().encrypted()) {
      block.checkStored(file);
    } else if (block.header().isRun()) {
      block.checkStored(file);
      IndexedBlockCursor blocks = blocksOf(file, block);
      while (blocks.next()) {
        checkRecords(file, blocks.block());
      }
    } else {
      checkRecords(file, block);
    }
  }

  /** The blocks of a run, or the block itself. */
  static IndexedBlockCursor blocksOf(ByteBuffer file, PlacedBlock appended) {
    IndexedBlockCursor cursor = new IndexedBlockCursor(file);
    cursor.reset(appended);
    return cursor;
  }

  private void checkRecords(ByteBuffer file, PlacedBlock block) throws FormatException {
    RecordCursor records = open(file, block);
    int count = 0;
    while (records.next()) {
      count++;
    }
    if (count != block.header().records()) {
      throw new CorruptFormatException(
          "block holds another number of records than its header says: records=%d expected=%d"
              .formatted(count, block.header().records()));
    }
  }

  private static byte[] atLeast(byte[] array, int length) {
    return array.length >= length ? array : new byte[length];
  }
}
