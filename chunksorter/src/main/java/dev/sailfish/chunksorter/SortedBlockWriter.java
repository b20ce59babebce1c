package dev.sailfish.chunksorter;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.tail.ChunkTailWriter;
import java.nio.ByteBuffer;

/**
 * Copies records in key order to the output, as sorted and tagged blocks one behind the other, and
 * notes them in the chunk's tail. Blocks that are neither compressed nor encrypted are gathered
 * where they will stay; others beside it first. Records are copied by the buffer's bulk copy: loops
 * over long words were slower for records of 20 bytes already. Not thread-safe.
 */
final class SortedBlockWriter {
  /** How many records are looked up before they are copied, so that memory can work ahead. */
  private static final int BATCH = 256;

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final int blockBytes;
  private final int[] lengths = new int[BATCH];
  private final int[] sources = new int[BATCH];
  private final ByteBuffer firstKey = ByteBuffer.allocate(RunDescriptor.MAX_KEY_LENGTH);
  private ByteBuffer staging = NOTHING;
  private ByteBuffer compressed = NOTHING;
  private BlockCompression codec = BlockCompression.of(CodecId.NONE);

  private ByteBuffer output = NOTHING;
  private ByteBuffer target = NOTHING;
  private ByteBuffer data = NOTHING;
  private int dataEnd;
  private ChunkTailWriter tail;
  private DataCipher cipher;
  private ChunkHeader chunk;
  private volatile int position;
  private int run;
  private int sequence;
  private int targetStart;
  private int used;
  private int records;

  SortedBlockWriter(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /**
   * How sorted blocks are compressed, of a chunk that was appended with {@code appended}. LZO gives
   * way to LZ4, which takes as much space and less time on both sides.
   */
  static CodecId sortedCodec(CodecId appended) {
    return appended == CodecId.LZO ? CodecId.LZ4 : appended;
  }

  /**
   * Begins a chunk: the blocks come behind its header.
   *
   * @param cipher null when the chunk is not encrypted
   */
  void start(ChunkHeader header, ByteBuffer output, ChunkTailWriter tail, DataCipher cipher) {
    this.output = output;
    this.tail = tail;
    this.cipher = cipher;
    chunk = header;
    position = ChunkHeader.LENGTH;
    run = 0;
    CodecId sorted = sortedCodec(header.codec());
    if (codec.id() != sorted) {
      codec = BlockCompression.of(sorted);
    }
  }

  /** Where the next block will begin; 0 between two chunks. Any thread may ask. */
  int position() {
    return position;
  }

  /** Writes all records of a run. */
  void write(Run sorted) throws CorruptFormatException {
    RecordOrder order = sorted.order();
    if (order.size() == 0) {
      return;
    }
    data = sorted.data();
    dataEnd = sorted.dataEnd();
    sequence = 0;
    used = 0;
    records = 0;
    aim();
    gather(sorted);
    flush();
    run++;
  }

  /** Forgets the chunk, so that its memory can be given back, and what a long record needed. */
  void finish() {
    position = 0;
    output = NOTHING;
    target = NOTHING;
    data = NOTHING;
    tail = null;
    cipher = null;
    if (staging.capacity() > blockBytes) {
      staging = NOTHING;
      compressed = NOTHING;
    }
  }

  private void gather(Run sorted) throws CorruptFormatException {
    RecordOrder order = sorted.order();
    for (int first = 0; first < order.size(); first += BATCH) {
      int count = Math.min(BATCH, order.size() - first);
      sorted.lookUp(first, count, lengths, sources);
      gather(sorted.copied(), order, first, count);
    }
  }

  private void gather(boolean tagged, RecordOrder order, int first, int count)
      throws CorruptFormatException {
    if (tagged) {
      for (int i = 0; i < count; i++) {
        appendTagged(order.offset(first + i), lengths[i]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        append(order.offset(first + i), lengths[i], sources[i]);
      }
    }
  }

  private void append(int offset, int length, int source) throws CorruptFormatException {
    int needed = Varint.length(source) + length;
    if (used > 0 && used + needed > blockBytes) {
      flush();
    }
    if (used == 0) {
      begin(offset, needed);
    }
    int key = Varint.put(target, targetStart + used, source);
    target.put(key, data, offset, length);
    used += needed;
    records++;
  }

  private void appendTagged(int offset, int needed) throws CorruptFormatException {
    if (used > 0 && used + needed > blockBytes) {
      flush();
    }
    if (used == 0) {
      begin(RecordDescriptor.afterTag(data, offset, dataEnd), needed);
    }
    target.put(targetStart + used, data, offset, needed);
    used += needed;
    records++;
  }

  private void begin(int offset, int needed) throws CorruptFormatException {
    if (needed > BlockHeader.MAX_LENGTH) {
      throw new CorruptFormatException(
          "record is too long for a sorted block: length=%s limit=%s"
              .formatted(needed, BlockHeader.MAX_LENGTH));
    }
    BufferRecordCursor cursor = new BufferRecordCursor();
    cursor.reset(data, offset, dataEnd - offset);
    cursor.next();
    int keyLength = Math.min(cursor.keyLength(), firstKey.capacity());
    firstKey.limit(keyLength).put(0, data, cursor.keyOffset(), keyLength);
    int room = Math.max(needed, blockBytes);
    if (!isInPlace() && staging.capacity() < room) {
      staging = ByteBuffer.allocateDirect(room);
      aim();
    }
  }

  /** Decides where the records of the next block are gathered. */
  private void aim() {
    target = isInPlace() ? output : staging;
    targetStart = isInPlace() ? position + BlockHeader.LENGTH : 0;
  }

  private boolean isInPlace() {
    return codec.id() == CodecId.NONE && cipher == null;
  }

  private void flush() {
    int stored = position + BlockHeader.LENGTH;
    BlockHeader header = store(stored);
    int length = header.storedLength();
    header = header.withStored(length, Checksum.of(output, stored, length));
    header.write(output, position);
    tail.addEntry(run, position, header, firstKey.array(), firstKey.limit());
    position += header.blockLength();
    used = 0;
    records = 0;
    aim();
  }

  /** Brings the block's bytes to {@code stored}; its header lacks the checksum. */
  private BlockHeader store(int stored) {
    CodecId storedCodec = CodecId.NONE;
    int length = used;
    if (codec.id() != CodecId.NONE) {
      ByteBuffer room = cipher == null ? output : compressedRoom();
      int shorter = codec.compress(staging, 0, used, room, cipher == null ? stored : 0);
      if (shorter < used) {
        storedCodec = codec.id();
        length = shorter;
      } else if (cipher == null) {
        output.put(stored, staging, 0, used);
      }
    }
    BlockHeader header = header(storedCodec, length);
    if (cipher == null) {
      return header;
    }
    ByteBuffer plain = storedCodec == CodecId.NONE ? staging : compressed;
    int encrypted =
        cipher.ofBlock(header, chunk.chunkId(), position).encrypt(plain, 0, length, output, stored);
    return header.withStored(encrypted, 0);
  }

  private ByteBuffer compressedRoom() {
    int room = codec.maxCompressedLength(used);
    if (compressed.capacity() < room) {
      compressed = ByteBuffer.allocateDirect(room);
    }
    return compressed;
  }

  private BlockHeader header(CodecId storedCodec, int length) {
    int encryption = cipher == null ? 0 : BlockHeader.FLAG_ENCRYPTED;
    return new BlockHeader(
        storedCodec,
        BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED | encryption,
        chunk.partition(),
        BlockHeader.NO_MAP,
        BlockHeader.NO_MAP,
        sequence++,
        records,
        used,
        length,
        0);
  }
}
