package dev.sailfish.imerger;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RunDescriptor;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.imerger.fetch.ReadFetch;
import dev.sailfish.imerger.fetch.UnavailableException;
import dev.sailfish.imerger.merge.RunCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A run of a chunk on a chunkserver: read window by window, one window being consumed while the
 * next one is on its way when memory allows. A window is a number of whole, adjacent blocks.
 *
 * <p>A damaged block is read once more before its chunk counts as lost.
 */
final class ChunkRun extends RunCursor {
  /** How much is read at a time before the merge. */
  private static final int PREFETCH_WINDOW_BYTES = (1 << 20) - 64;

  /** The longest read that brings several runs. */
  private static final int SHARED_BYTES = (1 << 20) - 64;

  /** The most bytes between blocks that one read brings: what stands before a block of a run. */
  private static final int LARGEST_GAP = RunDescriptor.MAX_OVERHEAD;

  private final SortedChunk chunk;
  private final ChunkTail index;
  private final int run;
  private final RangeFilter filter;
  private final RunBlocks blocks;
  private final boolean normalized;
  private final int endEntry;
  private int entry;
  private int nextToRead;
  private int windowBytes;
  private ReadFetch current;
  private ReadFetch ahead;
  private byte[] spare;

  // Of the current block: whether it may hold keys beside the range, and its first key, if the
  // index has one, until that was compared.
  private boolean edge;
  private byte[] firstKey;

  /**
   * @param filter of the blocks that are read and the records that count; null: all
   * @throws CorruptFormatException when the index is not in the order that the filter goes by
   */
  ChunkRun(SortedChunk chunk, int run, RangeFilter filter) throws CorruptFormatException {
    super(chunk.set.decoder);
    this.chunk = chunk;
    this.index = chunk.tail();
    this.run = run;
    this.filter = filter;
    blocks = filter == null ? null : filter.blocks(index, run);
    normalized = index.ordering() == Ordering.NORMALIZED;
    entry = blocks == null ? index.runStart(run) : blocks.first();
    endEntry = blocks == null ? index.runStart(run + 1) : blocks.end();
    nextToRead = entry;
  }

  /** Records in the blocks that are still to be walked over. */
  long records() {
    long records = 0;
    for (int i = entry; i < endEntry; i++) {
      records += index.entryRecords(i);
    }
    return records;
  }

  @Override
  protected long minimumBytes() {
    long window = 0;
    for (int i = entry; i < endEntry; i++) {
      window = Math.max(window, index.entryLength(i));
    }
    return Math.max(reserved(), window + rawCapacity());
  }

  @Override
  protected int rawCapacity() {
    int raw = 0;
    for (int i = entry; i < endEntry; i++) {
      if (index.entryEncoded(i)) {
        raw = Math.max(raw, SLACK + index.entryRawLength(i));
      }
    }
    return raw;
  }

  @Override
  protected int open(List<RunCursor> group, int position, int bytes) throws IOException {
    int sharing = sharing(group, position, bytes);
    if (sharing > 1) {
      openShared(group.subList(position, position + sharing));
      return sharing;
    }
    windowBytes = bytes;
    reserve(minimumBytes());
    if (current == null && nextToRead < endEntry) {
      current = sendRead(windowEnd());
    }
    account();
    return 1;
  }

  /**
   * How many of the runs from {@code first} on are neighbours in the chunk that one window holds
   * each. They are in memory as a whole anyway, so one read may bring many of them.
   */
  private int sharing(List<RunCursor> group, int first, int window) {
    int end = first;
    long limit = blockOffset() + SHARED_BYTES;
    long endOffset = blockOffset();
    while (end < group.size()
        && group.get(end) instanceof ChunkRun other
        && other.chunk == chunk
        && other.isUnread(window)
        && isBehind(other.blockOffset(), endOffset)
        && (end == first || other.endOffset() <= limit)) {
      endOffset = other.endOffset();
      end++;
    }
    return end - first;
  }

  /** Whether no read of the run was asked for yet, and one window or block is all of it. */
  private boolean isUnread(int window) {
    boolean unread = current == null && nextToRead == entry && entry < endEntry;
    return unread && unlimitedWindowEnd(window) == endEntry;
  }

  /** Whether a block is so close behind another one that one read brings both. */
  private static boolean isBehind(long offset, long endOfOther) {
    return offset >= endOfOther && offset - endOfOther <= LARGEST_GAP;
  }

  /** Where the last block ends in the chunk. */
  private long endOffset() {
    return blockEnd(endEntry - 1);
  }

  private long blockOffset() {
    return index.entryOffset(entry);
  }

  private int blockLength() {
    return index.entryLength(entry);
  }

  private void openShared(List<RunCursor> sharing) throws IOException {
    ChunkRun last = (ChunkRun) sharing.get(sharing.size() - 1);
    int length = (int) (last.endOffset() - blockOffset());
    ReadFetch fetch = new ReadFetch(chunk.set.links, chunk.id, blockOffset(), length, length);
    for (RunCursor cursor : sharing) {
      ChunkRun sharer = (ChunkRun) cursor;
      long own = sharer.endOffset() - sharer.blockOffset();
      sharer.reserve(Math.max(sharer.reserved(), own + sharer.rawCapacity()));
      sharer.current = fetch;
      sharer.nextToRead = sharer.endEntry;
    }
    chunk.link().send(fetch);
  }

  /** Reads a leading window before the merge, two at most, while half of the memory stays free. */
  void readAhead() throws IOException {
    windowBytes = PREFETCH_WINDOW_BYTES;
    int end = unlimitedWindowEnd(windowBytes);
    long length = windowLength(end);
    boolean fits = decoder.heldBytes() + length <= decoder.freeBytes() - length;
    if (end > nextToRead && ahead == null && fits) {
      ReadFetch fetch = sendRead(end);
      if (current == null) {
        current = fetch;
      } else {
        ahead = fetch;
      }
      account();
    }
  }

  /** Waits for what {@link #readAhead} asked for. */
  void awaitPrefetched() throws IOException {
    if (current != null) {
      chunk.await(current);
    }
    if (ahead != null) {
      chunk.await(ahead);
    }
  }

  @Override
  protected boolean nextBlock() throws IOException {
    if (entry == endEntry) {
      chunk.countRun(walked(), delivered());
      release();
      return false;
    }
    try {
      if (current == null || !current.holds(blockOffset(), blockLength())) {
        nextWindow();
      }
      if (ahead == null && nextToRead < endEntry) {
        sendAhead();
      }
      chunk.await(current);
    } catch (UnavailableException e) {
      throw chunk.unavailable(e);
    }
    int position = current.positionOf(blockOffset());
    try {
      takeBlock(position);
    } catch (UnsupportedFormatException e) {
      throw new IOException(chunk + " offset=" + blockOffset() + ": " + e.getMessage(), e);
    } catch (FormatException e) {
      rereadBlock(position, e);
    }
    chunk.set.statistics.rawBytes += index.entryRawLength(entry);
    entry++;
    if (entry == endEntry && buffer() != current.bytes()) {
      current = null;
    }
    return true;
  }

  private void nextWindow() throws IOException {
    if (current != null) {
      spare = current.bytes();
    }
    current = ahead == null ? sendRead(windowEnd()) : ahead;
    ahead = null;
    account();
  }

  /** Asks for the window behind the current one, when there is room for it. */
  private void sendAhead() throws IOException {
    int end = windowEnd();
    if (fits(windowLength(end))) {
      ahead = sendRead(end);
      account();
      chunk.link().pollNow();
    }
  }

  /** The end, exclusive, of the entries of the window that is read next. */
  private int windowEnd() {
    int end = unlimitedWindowEnd(windowBytes);
    // Without room for the whole window beside what the run holds already, a block must do.
    return end - nextToRead <= 1 || fits(windowLength(end)) ? end : nextToRead + 1;
  }

  private int unlimitedWindowEnd(int bytes) {
    int end = nextToRead;
    while (end < endEntry
        && (end == nextToRead
            || isBehind(index.entryOffset(end), blockEnd(end - 1))
                && windowLength(end + 1) <= bytes)) {
      end++;
    }
    return end;
  }

  /** Where a block ends in the chunk. */
  private long blockEnd(int entryOfBlock) {
    return index.entryOffset(entryOfBlock) + index.entryLength(entryOfBlock);
  }

  private long windowLength(int end) {
    return end == nextToRead ? 0 : blockEnd(end - 1) - index.entryOffset(nextToRead);
  }

  /** Whether one more window of this length stays within the memory. */
  private boolean fits(long length) {
    long more = spare != null && spare.length >= length ? 0 : capacityFor(length);
    long held = held() + more;
    return Math.max(held, reserved()) - reserved() <= decoder.freeBytes();
  }

  private ReadFetch sendRead(int end) throws IOException {
    long offset = index.entryOffset(nextToRead);
    int length = (int) windowLength(end);
    ReadFetch fetch = new ReadFetch(chunk.set.links, chunk.id, offset, length, capacityFor(length));
    if (spare != null && spare.length >= length) {
      fetch.into(spare, 0);
    }
    spare = null;
    nextToRead = end;
    chunk.link().send(fetch);
    return fetch;
  }

  /** Arrays are made for a full window, so that all windows of the run fit into the same two. */
  private int capacityFor(long length) {
    if (length > windowBytes) {
      return (int) length;
    }
    long rest = blockEnd(endEntry - 1) - index.entryOffset(nextToRead);
    return (int) Math.max(length, Math.min(windowBytes, Math.max(rest, 0)));
  }

  private long held() {
    return rawBytes()
        + (current == null ? 0 : current.capacity())
        + (ahead == null ? 0 : ahead.capacity())
        + (spare == null ? 0 : spare.length);
  }

  /** Counts what is held; what was reserved before stays so until the end. */
  private void account() {
    reserve(Math.max(held(), reserved()));
  }

  private void takeBlock(int position) throws IOException {
    byte[] bytes = current.bytes();
    BlockHeader header =
        BlockHeader.read(ByteBuffer.wrap(bytes), position, position + blockLength());
    checkHeader(header);
    if (blocks != null) {
      edge = !blocks.isInner(entry);
      firstKey = index.entryKey(entry);
    }
    take(
        header,
        bytes,
        position + BlockHeader.LENGTH,
        normalized ? index.fileChunk(chunk.id) : 0,
        normalized ? blockOffset() : 0);
  }

  /** A block with another header than the index promises is another block. */
  private void checkHeader(BlockHeader header) throws CorruptFormatException {
    boolean same =
        header.blockLength() == blockLength()
            && header.rawLength() == index.entryRawLength(entry)
            && header.records() == index.entryRecords(entry)
            && header.partition() == chunk.set.metaserver.partition()
            && header.tagged() == normalized
            && (normalized
                || header.map() == index.sourceMap(run)
                    && header.attempt() == index.sourceAttempt(run)
                    && header.sequence() == index.sourceSequence(run));
    if (!same) {
      throw new CorruptFormatException(
          "block is not the one that the index names: %s, found=%s"
              .formatted(index.describeEntry(entry), header));
    }
  }

  private void rereadBlock(int position, FormatException first) throws IOException {
    chunk.set.statistics.rereads++;
    int length = blockLength();
    ReadFetch again = new ReadFetch(chunk.set.links, chunk.id, blockOffset(), length, length);
    again.into(current.bytes(), position);
    try {
      chunk.link().send(again);
      chunk.await(again);
      takeBlock(position);
    } catch (UnavailableException | FormatException e) {
      e.addSuppressed(first);
      throw chunk.lost(
          new IOException(
              "block at offset=%s is damaged, also when read again: %s"
                  .formatted(blockOffset(), e.getMessage()),
              e));
    }
  }

  @Override
  protected int rankOf(int source) throws CorruptFormatException {
    if (firstKey != null) {
      checkFirstKey();
    }
    int[] ranks = chunk.ranks();
    int ordinal = normalized ? source : run;
    if (ordinal >= ranks.length) {
      throw new CorruptFormatException(
          "record names a source that the chunk does not have: source=%s sources=%s"
              .formatted(ordinal, ranks.length));
    }
    int rank = ranks[ordinal];
    return edge && rank >= 0 && !filter.holds(buffer(), keyOffset(), keyLength())
        ? AcceptedBlocks.NOT_ACCEPTED
        : rank;
  }

  private void checkFirstKey() throws CorruptFormatException {
    int offset = keyOffset();
    int cut = Math.min(keyLength(), RunDescriptor.MAX_KEY_LENGTH);
    if (!Arrays.equals(buffer(), offset, offset + cut, firstKey, 0, firstKey.length)) {
      throw new CorruptFormatException("first key of a block is not that in the index");
    }
    firstKey = null;
  }

  @Override
  protected IOException damaged(FormatException damage) {
    return chunk.lost(
        new IOException("block of entry=" + (entry - 1) + ": " + damage.getMessage(), damage));
  }

  @Override
  public void release() {
    current = null;
    ahead = null;
    spare = null;
    forget();
  }
}
