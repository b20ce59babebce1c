package dev.sailfish.chunksorter;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.Varint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies records in key order to the output, as sorted and tagged blocks one behind the other, and
 * notes them in the chunk's tail. Uncompressed blocks are gathered where they will stay; others
 * beside it first. Not thread-safe.
 */
final class SortedBlockWriter {
  /** How many records are looked up before they are copied, so that memory can work ahead. */
  private static final int BATCH = 256;

  /** Up to here copying by long words is cheaper than a bulk copy; measured. */
  private static final int WORDWISE = 32;

  private final int blockBytes;
  private final BufferRecordCursor cursor = new BufferRecordCursor();
  private final int[] lengths = new int[BATCH];
  private final int[] sources = new int[BATCH];
  private final byte[] firstKey = new byte[ChunkTail.MAX_KEY_LENGTH];
  private ByteBuffer staging = ByteBuffer.allocateDirect(0);
  private BlockCompression codec = BlockCompression.of(CodecId.NONE);

  private ByteBuffer output = staging;
  private ByteBuffer target = staging;
  private ByteBuffer data = staging;
  private int dataEnd;
  private ChunkTail.Builder tail;
  private int partition;
  private int position;
  private int run;
  private int sequence;
  private int targetStart;
  private int used;
  private int records;
  private int firstKeyLength;

  SortedBlockWriter(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /** Begins a chunk: the blocks come behind its header. */
  void start(ChunkHeader header, ByteBuffer output, ChunkTail.Builder tail) {
    this.output = output;
    this.tail = tail;
    partition = header.partition();
    position = ChunkHeader.LENGTH;
    run = 0;
    if (codec.id() != header.codec()) {
      codec = BlockCompression.of(header.codec());
    }
  }

  /** Where the next block will begin. */
  int position() {
    return position;
  }

  /** How many runs were written. */
  int runs() {
    return run;
  }

  /** Writes all records of a run. */
  void write(Run sorted) throws CorruptFormatException {
    RecordOrder order = sorted.order();
    if (order.size() == 0) {
      return;
    }
    data = sorted.data().duplicate().order(ByteOrder.nativeOrder());
    dataEnd = sorted.dataEnd();
    sequence = 0;
    used = 0;
    records = 0;
    aim();
    for (int first = 0; first < order.size(); first += BATCH) {
      int count = Math.min(BATCH, order.size() - first);
      lookUp(order, sorted.finder(), first, count);
      for (int i = 0; i < count; i++) {
        append(order.offset(first + i), lengths[i], sources[i]);
      }
    }
    flush();
    run++;
  }

  /** Forgets the chunk, so that its memory can be given back. */
  void finish() {
    output = staging;
    target = staging;
    data = staging;
    tail = null;
  }

  private void lookUp(RecordOrder order, SourceFinder finder, int first, int count) {
    for (int i = 0; i < count; i++) {
      int offset = order.offset(first + i);
      lengths[i] = RecordDescriptor.length(data, offset);
      sources[i] = finder.find(offset);
    }
  }

  private void seek(int offset) throws CorruptFormatException {
    cursor.reset(data, offset, dataEnd - offset);
    cursor.next();
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
    copy(offset, key, length);
    used += needed;
    records++;
  }

  private void begin(int offset, int needed) throws CorruptFormatException {
    if (needed > BlockHeader.MAX_LENGTH) {
      throw new CorruptFormatException(
          "record is too long for a sorted block: length=" + needed
              + " limit=" + BlockHeader.MAX_LENGTH);
    }
    seek(offset);
    firstKeyLength = Math.min(cursor.keyLength(), firstKey.length);
    data.get(cursor.keyOffset(), firstKey, 0, firstKeyLength);
    int room = Math.max(needed, blockBytes) + Long.BYTES;
    if (codec.id() != CodecId.NONE && staging.capacity() < room) {
      staging = ByteBuffer.allocateDirect(room);
      aim();
    }
  }

  /** Decides where the records of the next block are gathered. */
  private void aim() {
    boolean inPlace = codec.id() == CodecId.NONE;
    target = (inPlace ? output : staging).duplicate().order(ByteOrder.nativeOrder());
    targetStart = inPlace ? position + BlockHeader.LENGTH : 0;
  }

  /** May write up to 7 bytes behind the record, where the next one or the tail will be. */
  private void copy(int from, int to, int length) {
    boolean wordwise =
        length <= WORDWISE
            && from + length <= data.capacity() - Long.BYTES
            && to + length <= target.capacity() - Long.BYTES;
    if (!wordwise) {
      target.put(to, data, from, length);
      return;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      target.putLong(to + i, data.getLong(from + i));
    }
  }

  private void flush() {
    int stored = position + BlockHeader.LENGTH;
    CodecId storedCodec = codec.id();
    int length = used;
    if (storedCodec != CodecId.NONE) {
      length = codec.compress(staging, 0, used, output, stored);
      if (length >= used) {
        output.put(stored, staging, 0, used);
        length = used;
        storedCodec = CodecId.NONE;
      }
    }
    BlockHeader header =
        new BlockHeader(
            storedCodec,
            BlockHeader.FLAG_SORTED | BlockHeader.FLAG_TAGGED,
            partition,
            BlockHeader.NO_MAP,
            BlockHeader.NO_MAP,
            sequence++,
            records,
            used,
            length,
            Checksum.of(output, stored, length));
    header.write(output, position);
    tail.addEntry(run, position, header, firstKey, firstKeyLength);
    position += header.blockLength();
    used = 0;
    records = 0;
    targetStart = codec.id() == CodecId.NONE ? position + BlockHeader.LENGTH : 0;
  }
}
