package dev.sailfish.chunksorter;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A stable chunk in the making: blocks of records, appended in any order. */
final class TestChunk {
  static final int PARTITION = 7;
  static final long CHUNK_ID = 4711;

  private final Ordering ordering;
  private final CodecId codec;
  private final long id;
  private final List<TestBlock> blocks = new ArrayList<>();

  /** A record as the reference sees it. */
  record TestRecord(byte[] key, byte[] value) {}

  /** An appended block: its records and its bytes with header. */
  record TestBlock(int map, int attempt, int sequence, List<TestRecord> records, byte[] bytes) {}

  TestChunk(Ordering ordering, CodecId codec) {
    this(ordering, codec, CHUNK_ID);
  }

  private TestChunk(Ordering ordering, CodecId codec, long id) {
    this.ordering = ordering;
    this.codec = codec;
    this.id = id;
  }

  /** Adds a block behind the others. */
  TestChunk append(
      int map, int attempt, int sequence, CodecId blockCodec, List<TestRecord> records) {
    byte[] bytes = encode(map, attempt, sequence, blockCodec, records);
    blocks.add(new TestBlock(map, attempt, sequence, List.copyOf(records), bytes));
    return this;
  }

  /**
   * Adds a run behind the others, the way an iappender makes it: blocks of {@code blockRecords}
   * records, each with its first key before it.
   */
  TestChunk appendRun(
      int map, int sequence, CodecId blockCodec, List<TestRecord> records, int blockRecords) {
    ByteArrayOutputStream run = new ByteArrayOutputStream();
    int rawLength = 0;
    for (int from = 0; from < records.size(); from += blockRecords) {
      List<TestRecord> part = records.subList(from, Math.min(records.size(), from + blockRecords));
      byte[] key = part.get(0).key();
      int length = Math.min(key.length, RunDescriptor.MAX_KEY_LENGTH);
      run.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) length).array());
      run.write(key, 0, length);
      run.writeBytes(encode(map, 0, sequence, blockCodec, part));
      rawLength += rawLength(part);
    }
    byte[] stored = run.toByteArray();
    int flags = BlockHeader.FLAG_SORTED | BlockHeader.FLAG_RUN;
    BlockHeader header =
        new BlockHeader(
            CodecId.NONE,
            flags,
            PARTITION,
            map,
            0,
            sequence,
            records.size(),
            rawLength,
            stored.length,
            Checksum.of(stored, 0, stored.length));
    blocks.add(new TestBlock(map, 0, sequence, List.copyOf(records), withHeader(header, stored)));
    return this;
  }

  private static byte[] withHeader(BlockHeader header, byte[] stored) {
    ByteBuffer bytes = ByteBuffer.allocate(header.blockLength());
    header.write(bytes, 0);
    return bytes.put(BlockHeader.LENGTH, stored, 0, header.storedLength()).array();
  }

  private static int rawLength(List<TestRecord> records) {
    int rawLength = 0;
    for (TestRecord record : records) {
      rawLength +=
          RecordDescriptor.headerLength(record.key().length, record.value().length)
              + record.key().length
              + record.value().length;
    }
    return rawLength;
  }

  /** Adds block {@code i} once more, as a client does whose acknowledgement was lost. */
  TestChunk appendAgain(int i) {
    blocks.add(blocks.get(i));
    return this;
  }

  /** The same blocks in another order. */
  TestChunk shuffled(Random random) {
    TestChunk other = new TestChunk(ordering, codec);
    other.blocks.addAll(blocks);
    Collections.shuffle(other.blocks, random);
    return other;
  }

  /** The same blocks in several chunks, by turns; ids ascend from this one's. */
  List<TestChunk> dealt(int chunks) {
    List<TestChunk> dealt = new ArrayList<>();
    for (int i = 0; i < chunks; i++) {
      dealt.add(new TestChunk(ordering, codec, id + i));
    }
    for (int i = 0; i < blocks.size(); i++) {
      dealt.get(i % chunks).blocks.add(blocks.get(i));
    }
    return dealt;
  }

  long id() {
    return id;
  }

  /** As a sorter takes one of several. */
  StableChunk stable() {
    return new StableChunk(buffer(0), length());
  }

  List<TestBlock> blocks() {
    return blocks;
  }

  /** Where the blocks end. */
  int length() {
    return ChunkHeader.LENGTH + blocks.stream().mapToInt(block -> block.bytes().length).sum();
  }

  /** Offset of block {@code i}'s header in the chunk. */
  int offset(int i) {
    return ChunkHeader.LENGTH
        + blocks.subList(0, i).stream().mapToInt(block -> block.bytes().length).sum();
  }

  /** The chunk in a direct buffer with {@code room} bytes behind it. */
  ByteBuffer buffer(int room) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length() + room);
    new ChunkHeader("job_1_0001", PARTITION, id, ordering, codec).write(buffer);
    int offset = ChunkHeader.LENGTH;
    for (TestBlock block : blocks) {
      buffer.put(offset, block.bytes());
      offset += block.bytes().length;
    }
    return buffer;
  }

  private byte[] encode(
      int map, int attempt, int sequence, CodecId blockCodec, List<TestRecord> records) {
    int rawLength = rawLength(records);
    byte[] raw = new byte[rawLength];
    int position = 0;
    for (TestRecord record : records) {
      byte[] key = record.key();
      position = RecordDescriptor.putHeader(raw, position, key.length, record.value().length);
      System.arraycopy(key, 0, raw, position, key.length);
      position += key.length;
      System.arraycopy(record.value(), 0, raw, position, record.value().length);
      position += record.value().length;
    }
    BlockCompression compression = BlockCompression.of(blockCodec);
    byte[] stored = new byte[compression.maxCompressedLength(rawLength)];
    int storedLength = compression.compress(raw, 0, rawLength, stored, 0);
    BlockHeader header =
        new BlockHeader(
            blockCodec,
            ordering == Ordering.COMPARATOR ? BlockHeader.FLAG_SORTED : 0,
            PARTITION,
            map,
            attempt,
            sequence,
            records.size(),
            rawLength,
            storedLength,
            Checksum.of(stored, 0, storedLength));
    return withHeader(header, stored);
  }
}
