package dev.sailfish.chunksorter;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RecordDescriptor;
import dev.sailfish.format.Varint;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/**
 * The records of some consecutive sources, checked, uncompressed and sorted. Records of
 * uncompressed blocks stay where they are in the chunk; when any block is compressed or encrypted,
 * or there are several chunks, all are uncompressed into a scratch buffer. From where they are they
 * are copied with their tags into buckets in another buffer, if there are many and memory allows.
 * Both buffers are kept for the next run. Not thread-safe.
 */
final class Run {
  /** The most bytes that the blocks of a run may have, when they go to scratch. */
  static final int MAX_SCRATCH_BYTES = Integer.MAX_VALUE - 64;

  /** Buffers are made in so many lengths between one power of two and the next. */
  private static final int STEPS = 4;

  private static final int SAMPLED_BLOCKS = 8;
  private static final int SAMPLED_RECORDS = 4096;

  /** The mapping is fitted anew when it does not fit one in so many records. */
  private static final int TOLERATED_SHARE = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final Map<CodecId, BlockCompression> codecs = new EnumMap<>(CodecId.class);
  private final KeyMapping mapping = new KeyMapping();
  private final RecordOrder order = new RecordOrder();
  private final SourceFinder finder = new SourceFinder();
  private final BufferRecordCursor cursor = new BufferRecordCursor();
  private final int[] sample = new int[SAMPLED_RECORDS];
  private final RecordBuckets buckets = new RecordBuckets();
  private final SortBuffers ready;
  private ByteBuffer scratch = NOTHING;
  private ByteBuffer copies = NOTHING;
  private ByteBuffer decrypted = NOTHING;

  private ByteBuffer data = NOTHING;
  private int dataEnd;
  private int[] starts = new int[0];
  private boolean copied;

  /** Takes buffers that are ready before it makes some. */
  Run(SortBuffers ready) {
    this.ready = ready;
  }

  /** The memory that a source takes in a run, in bytes. */
  static long memoryBytes(PlacedBlock source, boolean scattered) {
    long arrays = (long) source.header().records() * RecordOrder.BYTES_PER_RECORD;
    return arrays + (scattered ? source.header().rawLength() : 0);
  }

  /** Where the records are: absolute positions in a big-endian buffer. */
  ByteBuffer data() {
    return data;
  }

  /** Where the readable bytes of {@link #data} end. */
  int dataEnd() {
    return dataEnd;
  }

  /** The records in key order. */
  RecordOrder order() {
    return order;
  }

  /** Whether the records are copies, each behind its tag. */
  boolean copied() {
    return copied;
  }

  /**
   * Finds out about some records in key order.
   *
   * @param lengths gets their lengths, with their tags if they have them
   * @param sources gets their sources, unless they have tags
   */
  void lookUp(int first, int count, int[] lengths, int[] sources) {
    if (copied) {
      for (int i = 0; i < count; i++) {
        int offset = order.offset(first + i);
        buckets.warm(offset);
        int record = RecordDescriptor.afterTag(data, offset, dataEnd);
        lengths[i] = record - offset + RecordDescriptor.length(data, record);
      }
    } else {
      for (int i = 0; i < count; i++) {
        int offset = order.offset(first + i);
        lengths[i] = RecordDescriptor.length(data, offset);
        sources[i] = finder.find(offset);
      }
    }
  }

  /**
   * Takes the sources from {@code from} to before {@code to} where they are in the chunk, or copied
   * to buckets if that pays and takes no more than {@code memoryBytes}.
   */
  void sortInPlace(AppendedBlocks blocks, int from, int to, int length, long memoryBytes)
      throws CorruptFormatException {
    begin(blocks, from, to, blocks.chunk(), length);
    blocks
        .byOffset(from, to)
        .forEach(source -> place(blocks, source, from, blocks.get(source).storedOffset()));
    addAll(blocks, from, to, true);
    sort(blocks, from, to, memoryBytes);
  }

  /**
   * Sorts what is in {@link #data}, by way of buckets if that pays and takes no more than {@code
   * memoryBytes}, together with what is in scratch.
   */
  private void sort(AppendedBlocks blocks, int from, int to, long memoryBytes)
      throws CorruptFormatException {
    long bytes = 0;
    for (int source = from; source < to; source++) {
      BlockHeader header = blocks.get(source).header();
      bytes += header.rawLength() + (long) header.records() * Varint.length(source);
    }
    long arrays = (long) order.size() * RecordOrder.BYTES_PER_RECORD;
    if (data != scratch && bytes + arrays > memoryBytes - scratch.capacity()) {
      scratch = NOTHING; // of an earlier run
    }
    long inScratch = data == scratch ? dataEnd : 0;
    if (bytes + arrays <= memoryBytes - inScratch
        && RecordBuckets.pay(bytes, order.size())
        && hasRoomForCopies((int) bytes, memoryBytes - scratch.capacity() - arrays)) {
      copy(blocks, from, to, (int) bytes);
      order.sort(buckets);
    } else {
      order.sort();
    }
  }

  private boolean hasRoomForCopies(int length, long most) {
    try {
      copies = room(copies, length, most);
      return true;
    } catch (OutOfMemoryError e) {
      copies = NOTHING;
      return false; // they are sorted where they are, which is slower and needs none
    }
  }

  /**
   * A buffer that has room for {@code length} bytes: this one, if it has. A new one is longer by up
   * to a quarter: the chunks of a job are about as long, and the next one should find its pages
   * touched.
   *
   * @param most how long it may be where that is more than is needed
   */
  private ByteBuffer room(ByteBuffer kept, int length, long most) {
    if (kept.capacity() >= length) {
      return kept;
    }
    ByteBuffer touched = ready.take(length, most);
    if (touched != null) {
      return touched;
    }
    long step = Math.max(1, Integer.highestOneBit(length) / STEPS);
    long rounded = (length + step - 1) / step * step;
    long capacity = Math.min(rounded, Math.min(most, MAX_SCRATCH_BYTES));
    return ByteBuffer.allocateDirect((int) Math.max(length, capacity));
  }

  private void copy(AppendedBlocks blocks, int from, int to, int bytes) {
    buckets.begin(copies, bytes, mapping);
    int first = 0;
    for (int source = from; source < to; source++) {
      BlockHeader header = blocks.get(source).header();
      int last = first + header.records();
      buckets.count(order, first, last, starts[source - from] + header.rawLength(), source);
      first = last;
    }
    buckets.layOut();
    first = 0;
    for (int source = from; source < to; source++) {
      BlockHeader header = blocks.get(source).header();
      int last = first + header.records();
      buckets.copy(order, first, last, starts[source - from] + header.rawLength(), source, data);
      first = last;
    }
    copied = true;
    data = copies;
    dataEnd = bytes;
    order.moved(data, dataEnd);
  }

  /** The records of a source begin at this position. */
  private void place(AppendedBlocks blocks, int source, int from, int position) {
    starts[source - from] = position;
    finder.add(source, position, position + blocks.get(source).header().rawLength());
  }

  /**
   * Takes the sources from {@code from} to before {@code to} into scratch, and sorts them as {@link
   * #sortInPlace} does.
   *
   * @param cipher null when they are not encrypted
   * @param memoryBytes with those of scratch
   */
  void sortInScratch(AppendedBlocks blocks, int from, int to, DataCipher cipher, long memoryBytes)
      throws CorruptFormatException {
    int length = 0;
    long arrays = 0;
    for (int source = from; source < to; source++) {
      length += blocks.get(source).header().rawLength();
      arrays += memoryBytes(blocks.get(source), false);
    }
    if (length > memoryBytes - copies.capacity()) {
      copies = NOTHING;
    }
    scratch = room(scratch, length, memoryBytes - copies.capacity() - arrays);
    begin(blocks, from, to, scratch, length);
    int position = 0;
    for (int source = from; source < to; source++) {
      PlacedBlock block = blocks.get(source);
      blocks.verify(source);
      try {
        decode(blocks.chunk(source), block, position, cipher);
      } catch (CorruptFormatException e) {
        throw blocks.damaged(source, e);
      }
      place(blocks, source, from, position);
      position += block.header().rawLength();
    }
    addAll(blocks, from, to, false);
    sort(blocks, from, to, memoryBytes);
  }

  /** Forgets the chunk, and lets go of memory beyond {@code memoryBytes}. */
  void finish(long memoryBytes) {
    if (scratch.capacity() > memoryBytes) {
      scratch = NOTHING;
    }
    if (copies.capacity() > memoryBytes - scratch.capacity()) {
      copies = NOTHING;
    }
    if (decrypted.capacity() > memoryBytes) {
      decrypted = NOTHING;
    }
    data = NOTHING;
    buckets.forget();
    order.trim(memoryBytes);
    mapping.forget();
    cursor.reset(NOTHING, 0, 0);
  }

  /** Brings a block's records to a position of scratch. */
  private void decode(ByteBuffer chunk, PlacedBlock block, int position, DataCipher cipher)
      throws CorruptFormatException {
    BlockHeader header = block.header();
    if (!header.encrypted()) {
      decompress(header, chunk, block.storedOffset(), header.storedLength(), position);
      return;
    }
    cipher.ofBlock(header);
    int stored = header.storedLength();
    int length = stored - BlockHeader.ENCRYPTION_OVERHEAD;
    if (header.codec() == CodecId.NONE) {
      cipher.decrypt(chunk, block.storedOffset(), stored, scratch, position);
      return;
    }
    if (decrypted.capacity() < length) {
      decrypted = ByteBuffer.allocateDirect(length);
    }
    cipher.decrypt(chunk, block.storedOffset(), stored, decrypted, 0);
    decompress(header, decrypted, 0, length, position);
  }

  private void decompress(
      BlockHeader header, ByteBuffer bytes, int offset, int length, int position)
      throws CorruptFormatException {
    codecs
        .computeIfAbsent(header.codec(), BlockCompression::of)
        .decompress(bytes, offset, length, scratch, position, header.rawLength());
  }

  private void begin(AppendedBlocks blocks, int from, int to, ByteBuffer bytes, int end) {
    data = bytes;
    dataEnd = end;
    copied = false;
    int records = 0;
    for (int source = from; source < to; source++) {
      records += blocks.get(source).header().records();
    }
    order.reset(bytes, end, records);
    finder.reset(to - from, end);
    if (starts.length < to - from) {
      starts = new int[to - from];
    }
  }

  /**
   * @param verify whether the blocks' checksums were not looked at yet
   */
  private void addAll(AppendedBlocks blocks, int from, int to, boolean verify)
      throws CorruptFormatException {
    fit(sampleBlocks(blocks, from, to));
    for (int source = from; source < to; source++) {
      if (verify) {
        blocks.verify(source);
      }
      addRecords(blocks, source, starts[source - from]);
    }
    if (mapping.outside() > order.size() / TOLERATED_SHARE) {
      fit(sampleOrder());
      order.map(mapping, 0, order.size());
    }
  }

  private void addRecords(AppendedBlocks blocks, int source, int start)
      throws CorruptFormatException {
    BlockHeader header = blocks.get(source).header();
    int records = 0;
    try {
      cursor.reset(data, start, header.rawLength());
      while (records < header.records() && cursor.next()) {
        order.add(mapping.map(cursor.keyOffset(), cursor.keyLength()), cursor.start());
        records++;
      }
      if (records < header.records() || cursor.next()) {
        throw new CorruptFormatException(
            "block does not hold its records: records=%s found=%s"
                .formatted(header.records(), records));
      }
    } catch (CorruptFormatException e) {
      throw blocks.damaged(source, e);
    }
  }

  /** Every so manieth record of a few blocks, which are far apart; they may be damaged. */
  private int sampleBlocks(AppendedBlocks blocks, int from, int to) throws CorruptFormatException {
    int sampled = 0;
    int count = Math.min(SAMPLED_BLOCKS, to - from);
    int perBlock = SAMPLED_RECORDS / SAMPLED_BLOCKS;
    for (int i = 0; i < count; i++) {
      int source = from + (int) ((long) i * (to - from) / count);
      PlacedBlock block = blocks.get(source);
      int step = block.header().records() / perBlock + 1;
      try {
        sampled = sampleBlock(block, starts[source - from], step, sampled);
      } catch (CorruptFormatException e) {
        blocks.verify(source);
        throw blocks.damaged(source, e);
      }
    }
    return sampled;
  }

  private int sampleBlock(PlacedBlock block, int start, int step, int sampledBefore)
      throws CorruptFormatException {
    int sampled = sampledBefore;
    int skip = 0;
    cursor.reset(data, start, block.header().rawLength());
    while (sampled < SAMPLED_RECORDS && cursor.next()) {
      if (skip == 0) {
        sample[sampled++] = cursor.start();
        skip = step;
      }
      skip--;
    }
    return sampled;
  }

  private int sampleOrder() {
    int count = Math.min(SAMPLED_RECORDS, order.size());
    for (int i = 0; i < count; i++) {
      sample[i] = order.offset((int) ((long) i * order.size() / count));
    }
    return count;
  }

  private void fit(int sampled) throws CorruptFormatException {
    for (int i = 0; i < sampled; i++) {
      seek(sample[i]);
      if (i == 0) {
        mapping.start(data, cursor.keyOffset(), cursor.keyLength());
      } else {
        mapping.prefix(cursor.keyOffset(), cursor.keyLength());
      }
    }
    for (int i = 0; i < sampled; i++) {
      seek(sample[i]);
      mapping.range(cursor.keyOffset(), cursor.keyLength());
    }
    mapping.finish();
  }

  private void seek(int offset) throws CorruptFormatException {
    cursor.reset(data, offset, dataEnd - offset);
    cursor.next();
  }
}
