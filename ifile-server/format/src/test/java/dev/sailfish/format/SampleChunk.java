package dev.sailfish.format;

import java.nio.ByteBuffer;

/** Builds small chunks by hand, so that readers are tested against the drawn layout. */
final class SampleChunk {
  static final String JOB = "job_1700000000000_0042";

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
    new ChunkHeader(JOB, 3, 0x1122334455667788L, Ordering.NORMALIZED, CodecId.NONE).write(chunk);
    int end = ChunkHeader.LENGTH;
    for (int block = 0; block < 3; block++) {
      byte[] raw = records(block + 1, 10 * block);
      header(raw, block + 1, 7, block).write(chunk, end);
      chunk.put(end + BlockHeader.LENGTH, raw);
      end += BlockHeader.LENGTH + raw.length;
    }
    return java.util.Arrays.copyOf(chunk.array(), end);
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
    byte[] stable = stable();
    ByteBuffer chunk = ByteBuffer.allocate(8192).put(0, stable);
    ChunkTailWriter tail = new ChunkTailWriter(Ordering.NORMALIZED);
    int offset = ChunkHeader.LENGTH;
    for (int run = 0; offset < stable.length; run++) {
      BlockHeader block = BlockHeader.read(chunk, offset, stable.length);
      tail.addSource(block);
      byte[] key = ("key " + 10 * run).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      tail.addEntry(run, offset, block, key, key.length);
      offset += block.blockLength();
    }
    int length = tail.write(chunk, stable.length);
    return java.util.Arrays.copyOf(chunk.array(), length);
  }
}
