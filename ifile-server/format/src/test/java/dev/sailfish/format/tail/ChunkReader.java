package dev.sailfish.format.tail;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.TruncatedFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads every record of a chunk with the strictness that all readers have together. */
final class ChunkReader {
  private ChunkReader() {}

  /** All records as "map/attempt/sequence key=value". */
  static List<String> readStable(byte[] bytes) throws FormatException {
    ByteBuffer chunk = ByteBuffer.wrap(bytes);
    ChunkHeader header = ChunkHeader.read(chunk, bytes.length);
    List<String> records = new ArrayList<>();
    records.add(header.toString());
    int offset = ChunkHeader.LENGTH;
    while (offset < bytes.length) {
      offset += readBlock(bytes, offset, bytes.length, records);
    }
    return records;
  }

  static List<String> readSorted(byte[] bytes) throws FormatException {
    ByteBuffer chunk = ByteBuffer.wrap(bytes);
    ChunkHeader header = ChunkHeader.read(chunk, bytes.length);
    ChunkTail tail = ChunkTail.read(chunk, bytes.length);
    List<String> records = new ArrayList<>();
    records.add(header.toString());
    int offset = ChunkHeader.LENGTH;
    for (int entry = 0; entry < tail.entries(); entry++) {
      if (tail.entryOffset(entry) != offset) {
        throw new CorruptFormatException("gap before entry=" + entry);
      }
      offset += readBlock(bytes, offset, (int) tail.offset(), records);
    }
    if (offset != tail.offset()) {
      throw new CorruptFormatException("bytes between blocks and tail at offset=" + offset);
    }
    return records;
  }

  static int readBlock(byte[] bytes, int offset, int limit, List<String> records)
      throws FormatException {
    BlockHeader block = BlockHeader.read(ByteBuffer.wrap(bytes), offset, limit);
    int start = offset + BlockHeader.LENGTH;
    if (block.storedLength() > limit - start) {
      throw new TruncatedFormatException("block is cut off at offset=" + offset);
    }
    block.checkStored(bytes, start);
    RecordCursor cursor = new RecordCursor();
    cursor.reset(bytes, start, block.rawLength(), block.tagged());
    int count = 0;
    while (cursor.next()) {
      count++;
      records.add(
          block.map()
              + "/"
              + block.attempt()
              + "/"
              + block.sequence()
              + " "
              + new String(bytes, cursor.keyOffset(), cursor.keyLength())
              + "="
              + new String(bytes, cursor.valueOffset(), cursor.valueLength()));
    }
    if (count != block.records()) {
      throw new CorruptFormatException("records=" + count + " stated=" + block.records());
    }
    return block.blockLength();
  }
}
