package dev.sailfish.chunksorter;

import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.Varint;
import dev.sailfish.format.tail.ChunkTailWriter;
import dev.sailfish.format.tail.IndexedBlockCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a SORTED chunk of a STABLE one. With {@link Ordering#NORMALIZED} all records are sorted by
 * key, records with equal keys by (map, attempt, sequence, position in the block), and written as
 * runs of sorted blocks with an index: one run if memory allows. The outcome depends on the blocks
 * and the configuration only, not on the order in which the blocks were appended. With {@link
 * Ordering#COMPARATOR} every block is a run already and only the tail is written; keys are copied
 * to it and never compared.
 *
 * <p>Several chunks of one I-file can be sorted as one, with {@link Ordering#NORMALIZED}: into one
 * file, whose tail says of each source which chunk it was appended to.
 *
 * <p>Of an encrypted chunk only this class has the records in clear, in its own memory: what it
 * reads and writes is encrypted.
 *
 * <p>A block that was appended more than once counts once. The checksum of every block is verified,
 * and a chunk with a damaged block is refused as a whole.
 *
 * <p>Buffers are big-endian, direct or mapped (heap buffers work, slowly); positions are absolute,
 * and a buffer's own position and limit are neither used nor changed. The caller owns them; they
 * are not referred to after a call. Lengths and offsets are bytes.
 *
 * <p>Keeps its arrays and scratch space for the next chunk. Not thread-safe: one per sorter thread.
 */
public final class ChunkSorter implements Sorter {
  /**
   * The most records that an appended block of a chunk with {@link Ordering#NORMALIZED} may have:
   * the arrays for them take a quarter of the heap then. For who takes blocks to enforce.
   */
  public static final int MAX_BLOCK_RECORDS =
      (int)
          Math.min(
              Integer.MAX_VALUE,
              Runtime.getRuntime().maxMemory() / 4 / RecordOrder.BYTES_PER_RECORD);

  /** Held while a block is sorted that needs more memory than a sorter may take. */
  private static final Object LARGE = new Object();

  private final long memoryBytes;
  private final Run run;
  private final SortedBlockWriter writer;

  /** A sorter with these limits; allocates when the first chunk comes. */
  public ChunkSorter(SorterConfig config) {
    this(config, new SortBuffers());
  }

  /** The same, which takes buffers that are ready before it allocates. */
  public ChunkSorter(SorterConfig config, SortBuffers ready) {
    run = new Run(ready);
    memoryBytes = config.memoryBytes();
    writer = new SortedBlockWriter(config.sortedBlockBytes());
  }

  /**
   * How much room {@link #sort} must find in its output for this chunk; no less than the sorted
   * chunk will take, with any configuration.
   *
   * @param length where the blocks of the chunk end
   * @throws FormatException when the chunk's headers are damaged
   */
  public static long maxSortedLength(ByteBuffer chunk, int length) throws FormatException {
    return maxSortedLength(AppendedBlocks.read(chunk, length));
  }

  /** The same of several chunks that are sorted as one. */
  public static long maxSortedLength(List<StableChunk> chunks) throws FormatException {
    return maxSortedLength(readTogether(chunks));
  }

  private static long maxSortedLength(AppendedBlocks blocks) {
    int sources = blocks.count();
    long records = 0;
    long rawBytes = 0;
    int longest = SorterConfig.MAX_SORTED_BLOCK_BYTES;
    for (int source = 0; source < sources; source++) {
      BlockHeader header = blocks.get(source).header();
      records += header.records();
      rawBytes += header.rawLength();
      longest = Math.max(longest, header.rawLength() + Varint.MAX_LENGTH);
    }
    rawBytes += records * Varint.length(Math.max(sources - 1, 0));
    // Two neighbouring blocks of a run have more bytes than one block may have.
    long sortedBlocks =
        Math.min(records, 2 * (rawBytes / SorterConfig.MIN_SORTED_BLOCK_BYTES) + 1 + sources);
    int encryption = blocks.chunkHeader().encrypted() ? BlockHeader.ENCRYPTION_OVERHEAD : 0;
    CodecId codec = SortedBlockWriter.sortedCodec(blocks.chunkHeader().codec());
    int compressed = BlockCompression.of(codec).maxCompressedLength(longest);
    return ChunkHeader.LENGTH
        + rawBytes
        + sortedBlocks * (BlockHeader.LENGTH + encryption)
        + encryption
        + (compressed - longest)
        + ChunkTailWriter.maxLength(sources, sortedBlocks)
        + (blocks.areShared() ? ChunkTailWriter.sharedLength(sources) : 0);
  }

  /**
   * How long the chunk may become by {@link #index}.
   *
   * @param length where the blocks of the chunk end
   * @throws FormatException when the chunk's headers are damaged
   */
  public static long maxIndexedLength(ByteBuffer chunk, int length) throws FormatException {
    AppendedBlocks blocks = AppendedBlocks.read(chunk, length);
    long rawBytes = 0;
    for (int source = 0; source < blocks.count(); source++) {
      rawBytes += blocks.get(source).header().rawLength();
    }
    boolean encrypted = blocks.chunkHeader().encrypted();
    return length + ChunkTailWriter.maxIndexLength(blocks.count(), rawBytes, encrypted);
  }

  /**
   * Sorts a chunk with {@link Ordering#NORMALIZED} into {@code output}, from position 0: header,
   * sorted blocks, tail.
   *
   * @param chunk not changed
   * @param length where the blocks of the chunk end
   * @param output another buffer with a capacity of {@link #maxSortedLength} at least; its content
   *     is undefined after an error
   * @throws CorruptFormatException when a block is damaged; the message names chunk, offset, map,
   *     attempt and sequence
   * @throws FormatException when the chunk cannot be read for another reason
   */
  public SortResult sort(ByteBuffer chunk, int length, ByteBuffer output) throws FormatException {
    return sort(chunk, length, output, null);
  }

  /**
   * The same, of a chunk that may be encrypted.
   *
   * @param cipher of the chunk's job; null when the chunk is not encrypted
   */
  @Override
  public SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher)
      throws FormatException {
    return sort(readBlocks(chunk, length, Ordering.NORMALIZED), length, output, cipher);
  }

  @Override
  public SortResult sortTogether(List<StableChunk> chunks, ByteBuffer output, DataCipher cipher)
      throws FormatException {
    AppendedBlocks blocks = readTogether(chunks);
    requireOrdering(blocks, Ordering.NORMALIZED);
    return sort(blocks, 0, output, cipher);
  }

  /**
   * @param length where the blocks end, if they are of one chunk
   */
  private SortResult sort(AppendedBlocks blocks, int length, ByteBuffer output, DataCipher cipher)
      throws FormatException {
    checkCipher(blocks, cipher);
    checkRoom(blocks, output, maxSortedLength(blocks));
    ChunkTailWriter tail = newTail(blocks, Ordering.NORMALIZED);
    ByteBuffer sorted = AppendedBlocks.whole(output);
    blocks.chunkHeader().write(sorted);
    writer.start(blocks.chunkHeader(), sorted, tail, cipher);
    try {
      writeRuns(blocks, length, cipher);
      byte[] keys = cipher == null ? null : encryptedKeys(blocks.chunkHeader(), tail, cipher);
      return finish(tail, sorted, writer.position(), keys);
    } finally {
      run.finish(memoryBytes);
      writer.finish();
    }
  }

  /**
   * Indexes a chunk with {@link Ordering#COMPARATOR}, where every appended block is a run: verifies
   * the blocks and writes the tail behind them. The number of a run is its source ordinal; of a
   * block with the flag RUN the index names the blocks in it. Blocks that were appended again are
   * not in the index.
   *
   * @param chunk not changed, unless it is {@code output}
   * @param length where the blocks of the chunk end; where the tail will begin
   * @param output the chunk's own buffer, or one that has or will get its bytes; only the bytes
   *     from {@code length} on are written, {@link #maxIndexedLength} says how far at most
   * @throws CorruptFormatException when a block is damaged; the message names chunk, offset, map,
   *     attempt and sequence
   * @throws FormatException when the chunk cannot be read for another reason
   */
  @Override
  public SortResult index(ByteBuffer chunk, int length, ByteBuffer output) throws FormatException {
    AppendedBlocks blocks = readBlocks(chunk, length, Ordering.COMPARATOR);
    ChunkTailWriter tail = newTail(blocks, Ordering.COMPARATOR);
    IndexedBlockCursor cursor = new IndexedBlockCursor(blocks.chunk());
    byte[] key = new byte[RunDescriptor.MAX_KEY_LENGTH];
    for (int source = 0; source < blocks.count(); source++) {
      blocks.verify(source);
      try {
        cursor.reset(blocks.get(source));
        while (cursor.next()) {
          PlacedBlock block = cursor.block();
          tail.addEntry(source, block.offset(), block.header(), key, cursor.firstKey(key));
        }
      } catch (CorruptFormatException e) {
        throw blocks.damaged(source, e);
      }
    }
    checkRoom(blocks, output, (long) length + tail.length());
    return finish(tail, AppendedBlocks.whole(output), length, null);
  }

  @Override
  public long writtenBytes() {
    return writer.position();
  }

  private void writeRuns(AppendedBlocks blocks, int length, DataCipher cipher)
      throws FormatException {
    boolean scattered = blocks.scattered();
    int from = 0;
    while (from < blocks.count()) {
      int to = endOfRun(blocks, from, scattered);
      if (Run.memoryBytes(blocks.get(from), scattered) > memoryBytes) {
        synchronized (LARGE) {
          writeRun(blocks, from, to, length, cipher);
          run.finish(memoryBytes);
        }
      } else {
        writeRun(blocks, from, to, length, cipher);
      }
      from = to;
    }
  }

  private void writeRun(AppendedBlocks blocks, int from, int to, int length, DataCipher cipher)
      throws FormatException {
    if (blocks.scattered()) {
      run.sortInScratch(blocks, from, to, cipher, memoryBytes);
    } else {
      run.sortInPlace(blocks, from, to, length, memoryBytes);
    }
    writer.write(run);
  }

  /** As many sources as memory allows, but one at least. */
  private int endOfRun(AppendedBlocks blocks, int from, boolean scattered) {
    long limit = scattered ? Math.min(memoryBytes, Run.MAX_SCRATCH_BYTES) : memoryBytes;
    long needed = 0;
    for (int to = from; to < blocks.count(); to++) {
      needed += Run.memoryBytes(blocks.get(to), scattered);
      if (needed > limit && to > from) {
        return to;
      }
    }
    return blocks.count();
  }

  private static AppendedBlocks readBlocks(ByteBuffer chunk, int length, Ordering ordering)
      throws FormatException {
    AppendedBlocks blocks = AppendedBlocks.read(chunk, length);
    requireOrdering(blocks, ordering);
    return blocks;
  }

  private static AppendedBlocks readTogether(List<StableChunk> chunks) throws FormatException {
    List<AppendedBlocks> blocks = new ArrayList<>();
    for (StableChunk chunk : chunks) {
      blocks.add(AppendedBlocks.read(chunk.bytes(), chunk.length()));
    }
    return AppendedBlocks.together(blocks);
  }

  private static void requireOrdering(AppendedBlocks blocks, Ordering ordering) {
    Ordering actual = blocks.chunkHeader().ordering();
    if (actual != ordering) {
      throw new IllegalArgumentException(
          "chunk has another ordering: chunk=%s ordering=%s expected=%s"
              .formatted(blocks.chunkHeader().chunkId(), actual, ordering));
    }
  }

  private static void checkCipher(AppendedBlocks blocks, DataCipher cipher) {
    if (blocks.chunkHeader().encrypted() != (cipher != null)) {
      throw new IllegalArgumentException(
          "chunk and cipher do not fit: chunk=%s encrypted=%s cipher=%s"
              .formatted(
                  blocks.chunkHeader().chunkId(),
                  blocks.chunkHeader().encrypted(),
                  cipher != null));
    }
  }

  private static void checkRoom(AppendedBlocks blocks, ByteBuffer output, long needed) {
    if (output.capacity() < needed) {
      throw new IllegalArgumentException(
          "output is too small: chunk=%s capacity=%s needed=%s"
              .formatted(blocks.chunkHeader().chunkId(), output.capacity(), needed));
    }
  }

  private static ChunkTailWriter newTail(AppendedBlocks blocks, Ordering ordering) {
    boolean keys = ordering == Ordering.NORMALIZED && blocks.chunkHeader().encrypted();
    ChunkTailWriter tail = new ChunkTailWriter(ordering, keys);
    for (int source = 0; source < blocks.count(); source++) {
      BlockHeader header = blocks.get(source).header();
      if (blocks.areShared()) {
        tail.addSource(header, blocks.chunkId(source));
      } else {
        tail.addSource(header);
      }
    }
    return tail;
  }

  private byte[] encryptedKeys(ChunkHeader header, ChunkTailWriter tail, DataCipher cipher) {
    byte[] keys = tail.keys();
    byte[] encrypted = new byte[keys.length + BlockHeader.ENCRYPTION_OVERHEAD];
    cipher
        .ofIndex(header.partition(), header.chunkId(), writer.position())
        .encrypt(ByteBuffer.wrap(keys), 0, keys.length, ByteBuffer.wrap(encrypted), 0);
    return encrypted;
  }

  private static SortResult finish(
      ChunkTailWriter tail, ByteBuffer output, int offset, byte[] encryptedKeys) {
    int length = tail.write(output, offset, encryptedKeys);
    return new SortResult(length, offset, tail.records(), tail.rawBytes(), tail.runs());
  }
}
