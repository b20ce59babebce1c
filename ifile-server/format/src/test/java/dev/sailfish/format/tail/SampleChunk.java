package dev.sailfish.format.tail;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import java.nio.ByteBuffer;

/** Builds small chunks by hand, so that readers are tested against the drawn layout. */
final class SampleChunk {
  static final String JOB = "job_1700000000000_0042";
  static final long CHUNK = 0x1122334455667788L;

  private SampleChunk() {}

  /** A block of untagged records, each "key i" to "value i". */
  static byte[] records(int count, int first) {
    byte[] bytes = new byte[count * 64];
    int end = 0;
    for (int i = first; i < first + count; i++) {
      byte[] key = ("key " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      byte[] value = ("value " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      end = RecordDescriptor.putHeader(bytes, end, key.length, value.length);
      System.arraycopy(key, 0, bytes, end, key.length);
      System.arraycopy(value, 0, bytes, end + key.length, value.length);
      end += key.length + value.length;
    }
    return java.util.Arrays.copyOf(bytes, end);
  }

  static BlockHeader header(byte[] raw, int count, int map, int sequence) {
    return new BlockHeader(
        CodecId.NONE,
        0,
        3,
        map,
        1,
        sequence,
        count,
        raw.length,
        raw.length,
        Checksum.of(raw, 0, raw.length));
  }

  /** Chunk header and three blocks, as an iappender's server leaves them. */
  static byte[] stable() {
    ByteBuffer chunk = ByteBuffer.allocate(4096);
    new ChunkHeader(JOB, 3, CHUNK, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    int end = ChunkHeader.LENGTH;
    for (int block = 0; block < 3; block++) {
      byte[] raw = records(block + 1, 10 * block);
      header(raw, block + 1, 7, block).write(chunk, end);
      chunk.put(end + BlockHeader.LENGTH, raw);
      end += BlockHeader.LENGTH + raw.length;
    }
    return java.util.Arrays.copyOf(chunk.array(), end);
  }

  /**
   * A run of blocks of one, two, ... records, of which the last fills its block up when there are
   * several: no run may have many small ones.
   */
  static byte[] run(int blocks, int map, int sequence) {
    ByteBuffer run = ByteBuffer.allocate(blocks * RunDescriptor.BLOCK_BYTES);
    int end = 0;
    for (int block = 0; block < blocks; block++) {
      byte[] raw = ofRun(blocks, block);
      byte[] key = ("key " + 10 * block).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      run.putShort(end, (short) key.length).put(end + RunDescriptor.KEY_OFFSET, key);
      int at = end + RunDescriptor.KEY_OFFSET + key.length;
      int records = block + (blocks == 1 ? 1 : 2);
      sortedHeader(raw, BlockHeader.FLAG_SORTED, records, map, sequence, raw.length).write(run, at);
      run.put(at + BlockHeader.LENGTH, raw);
      end = at + BlockHeader.LENGTH + raw.length;
    }
    return java.util.Arrays.copyOf(run.array(), end);
  }

  private static byte[] ofRun(int blocks, int block) {
    byte[] raw = records(block + 1, 10 * block);
    if (blocks == 1) {
      return raw;
    }
    int filling = RunDescriptor.BLOCK_BYTES * 3 / 4;
    byte[] filled = java.util.Arrays.copyOf(raw, raw.length + 4 + filling);
    RecordDescriptor.putHeader(filled, raw.length, 0, filling);
    return filled;
  }

  /** The header of that, when it is appended. */
  static BlockHeader runHeader(byte[] run, int blocks, int map, int sequence) {
    int rawLength = 0;
    int records = 0;
    for (int block = 0; block < blocks; block++) {
      rawLength += ofRun(blocks, block).length;
      records += block + (blocks == 1 ? 1 : 2);
    }
    int flags = BlockHeader.FLAG_SORTED | BlockHeader.FLAG_RUN;
    return sortedHeader(run, flags, records, map, sequence, rawLength);
  }

  private static BlockHeader sortedHeader(
      byte[] stored, int flags, int count, int map, int sequence, int rawLength) {
    int checksum = Checksum.of(stored, 0, stored.length);
    return new BlockHeader(
        CodecId.NONE, flags, 3, map, 1, sequence, count, rawLength, stored.length, checksum);
  }

  /** A chunk with a comparator: a run, and a block of two records, with their tail. */
  static byte[] indexed() throws FormatException {
    ByteBuffer chunk = ByteBuffer.allocate(8192);
    new ChunkHeader(JOB, 3, 0x1122334455667788L, Ordering.COMPARATOR, CodecId.NONE).write(chunk);
    byte[] run = run(1, 7, 0);
    runHeader(run, 1, 7, 0).write(chunk, ChunkHeader.LENGTH);
    int plain = ChunkHeader.LENGTH + BlockHeader.LENGTH + run.length;
    chunk.put(plain - run.length, run);
    byte[] raw = records(2, 40);
    sortedHeader(raw, BlockHeader.FLAG_SORTED, 2, 7, 1, raw.length).write(chunk, plain);
    chunk.put(plain + BlockHeader.LENGTH, raw);
    int end = plain + BlockHeader.LENGTH + raw.length;
    ChunkTailWriter tail = new ChunkTailWriter(Ordering.COMPARATOR);
    IndexedBlockCursor cursor = new IndexedBlockCursor(chunk);
    byte[] key = new byte[RunDescriptor.MAX_KEY_LENGTH];
    for (int source = 0; source < 2; source++) {
      PlacedBlock block = PlacedBlock.read(chunk, source == 0 ? ChunkHeader.LENGTH : plain, end);
      tail.addSource(block.header());
      cursor.reset(block);
      while (cursor.next()) {
        PlacedBlock placed = cursor.block();
        tail.addEntry(source, placed.offset(), placed.header(), key, cursor.firstKey(key));
      }
    }
    return java.util.Arrays.copyOf(chunk.array(), tail.write(chunk, end));
  }

  /** {@link #stable()} as a chunkserver has it in memory: each block names its chunk. */
  static byte[] appended() throws FormatException {
    byte[] stable = stable();
    ByteBuffer chunk = ByteBuffer.wrap(stable);
    int end = ChunkHeader.LENGTH;
    while (end < stable.length) {
      BlockHeader block = BlockHeader.read(chunk, end, stable.length);
      block.write(chunk, end, ChunkHeader.mark(chunk));
      end += block.blockLength();
    }
    return stable;
  }

  /** {@link #stable()} with a tail that takes every block as a run of its own. */
  static byte[] sorted() throws FormatException {
    return sorted(CHUNK);
  }

  /** The same, as if the third block had been appended to another chunk. */
  static byte[] shared() throws FormatException {
    return sorted(CHUNK, CHUNK, CHUNK + 1);
  }

  /**
   * @param chunks of each block, or one of all
   */
  private static byte[] sorted(long... chunks) throws FormatException {
    byte[] stable = stable();
    ByteBuffer chunk = ByteBuffer.allocate(8192).put(0, stable);
    ChunkTailWriter tail = new ChunkTailWriter(Ordering.NORMALIZED);
    int offset = ChunkHeader.LENGTH;
    for (int run = 0; offset < stable.length; run++) {
      BlockHeader block = BlockHeader.read(chunk, offset, stable.length);
      if (chunks.length == 1) {
        tail.addSource(block);
      } else {
        tail.addSource(block, chunks[run]);
      }
      byte[] key = ("key " + 10 * run).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      tail.addEntry(run, offset, block, key, key.length);
      offset += block.blockLength();
    }
    int length = tail.write(chunk, stable.length);
    return java.util.Arrays.copyOf(chunk.array(), length);
  }
}
