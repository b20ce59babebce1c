package dev.sailfish.imerger;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A run of a chunk on a chunkserver: read window by window, one window being consumed while the
 * next one is on its way when memory allows. A window is a number of whole, adjacent blocks.
 *
 * <p>A damaged block is read once more before its chunk counts as lost.
 */
final class ChunkRun extends RunCursor {
  private final SortedChunk chunk;
  private final ChunkTail index;
  private final int run;
  private final KeyRange range;
  private final int endEntry;
  private int entry;
  private int nextToRead;
  private int windowBytes;
  private boolean merging;
  private boolean counted;
  private ReadFetch current;
  private int currentEnd;
  private boolean shared;
  private ReadFetch ahead;
  private int aheadEnd;
  private byte[] spare;

  /**
   * @param range whose blocks are read, and whose records count; null: all
   */
  ChunkRun(SortedChunk chunk, int run, KeyRange range) {
    super(chunk.set().decoder(), chunk.set().memory());
    this.chunk = chunk;
    this.index = chunk.tail();
    this.run = run;
    this.range = range;
    boolean byKey = range != null && index.ordering() == Ordering.NORMALIZED;
    boolean begins = byKey && range.from() != null;
    boolean ends = byKey && range.to() != null;
    entry = begins ? index.firstEntry(run, range.from()) : index.runStart(run);
    endEntry = Math.max(entry, ends ? index.endEntry(run, range.to()) : index.runStart(run + 1));
    nextToRead = entry;
  }

  SortedChunk chunk() {
    return chunk;
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
  long minimumBytes() {
    long window = 0;
    for (int i = entry; i < endEntry; i++) {
      window = Math.max(window, index.entryLength(i));
    }
    return Math.max(reserved(), window + rawCapacity());
  }

  @Override
  int rawCapacity() {
    int raw = 0;
    for (int i = entry; i < endEntry; i++) {
      if (index.entryEncoded(i)) {
        raw = Math.max(raw, SLACK + index.entryRawLength(i));
      }
    }
    return raw;
  }

  /** Whether the run is a single block whose read was not asked for yet. */
  boolean unreadSingle() {
    return current == null && nextToRead == entry && endEntry - entry == 1;
  }

  /** Where the only block of {@link #unreadSingle} is. */
  long blockOffset() {
    return index.entryOffset(entry);
  }

  int blockLength() {
    return index.entryLength(entry);
  }

  /** Takes the run's only block out of a read that others share. */
  void openShared(ReadFetch fetch) {
    merging = true;
    reserve(minimumBytes());
    current = fetch;
    currentEnd = endEntry;
    shared = true;
    nextToRead = endEntry;
  }

  @Override
  void open(int bytes) throws IOException {
    windowBytes = bytes;
    merging = true;
    reserve(minimumBytes());
    if (current == null && nextToRead < endEntry) {
      currentEnd = windowEnd(nextToRead);
      current = sendRead(currentEnd);
    }
    account();
  }

  /**
   * Reads leading windows before the merge.
   *
   * @param bytes window size
   * @param limit how much of the memory may be used by then
   * @return whether something was asked for
   */
  boolean readAhead(int bytes, long limit) throws IOException {
    int end = windowEnd(nextToRead, bytes);
    boolean room =
        nextToRead < endEntry
            && (current == null || ahead == null)
            && memory().used() + windowLength(end) <= limit;
    if (!room) {
      return false;
    }
    windowBytes = bytes;
    if (current == null) {
      currentEnd = end;
      current = sendRead(end);
    } else {
      aheadEnd = end;
      ahead = sendRead(end);
    }
    account();
    return true;
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
  boolean nextBlock() throws IOException {
    if (entry == endEntry) {
      end();
      return false;
    }
    try {
      if (current == null || entry == currentEnd) {
        nextWindow();
      }
      if (ahead == null && nextToRead < endEntry) {
        sendAhead();
      }
      chunk.await(current);
    } catch (UnavailableException e) {
      throw chunk.lost(e);
    }
    int position = current.start() + (int) (index.entryOffset(entry) - current.offset());
    try {
      takeBlock(position);
    } catch (UnsupportedFormatException e) {
      throw new IOException(
          chunk + " offset=" + index.entryOffset(entry) + ": " + e.getMessage(), e);
    } catch (FormatException e) {
      rereadBlock(position, e);
    }
    chunk.set().statistics().rawBytes += index.entryRawLength(entry);
    entry++;
    if (shared && buffer() != current.bytes()) {
      current = null;
    }
    return true;
  }

  private void nextWindow() throws IOException {
    if (current != null && !shared) {
      spare = current.bytes();
    }
    current = ahead;
    currentEnd = aheadEnd;
    ahead = null;
    if (current == null) {
      currentEnd = windowEnd(nextToRead);
      current = sendRead(currentEnd);
    }
    account();
  }

  /** Asks for the window behind the current one, when there is room for it. */
  private void sendAhead() throws IOException {
    int end = windowEnd(nextToRead);
    if (fits(windowLength(end))) {
      aheadEnd = end;
      ahead = sendRead(end);
      account();
      chunk.link().pollNow();
    }
  }

  /** The entry behind the last block of the window that begins with {@code first}. */
  private int windowEnd(int first) {
    int end = windowEnd(first, windowBytes);
    // Without room for the whole window beside what the run holds already, a block must do.
    return end - first <= 1 || fits(windowLength(first, end)) ? end : first + 1;
  }

  private int windowEnd(int first, int bytes) {
    int end = first;
    long length = 0;
    while (end < endEntry
        && (end == first
            || length + index.entryLength(end) <= bytes
                && index.entryOffset(end)
                    == index.entryOffset(end - 1) + index.entryLength(end - 1))) {
      length += index.entryLength(end++);
    }
    return end;
  }

  private long windowLength(int end) {
    return windowLength(nextToRead, end);
  }

  private long windowLength(int first, int end) {
    return end == first
        ? 0
        : index.entryOffset(end - 1) + index.entryLength(end - 1) - index.entryOffset(first);
  }

  /** Whether one more window of this length stays within the memory. */
  private boolean fits(long length) {
    long more = spare != null && spare.length >= length ? 0 : capacityFor(length);
    long held = held() + more;
    return Math.max(held, reserved()) - reserved() <= memory().free();
  }

  private ReadFetch sendRead(int end) throws IOException {
    long offset = index.entryOffset(nextToRead);
    int length = (int) windowLength(end);
    ReadFetch fetch = new ReadFetch(chunk, offset, length, capacityFor(length));
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
    long rest =
        index.entryOffset(endEntry - 1)
            + index.entryLength(endEntry - 1)
            - index.entryOffset(nextToRead);
    return (int) Math.max(length, Math.min(windowBytes, Math.max(rest, 0)));
  }

  private long held() {
    long bytes = rawBytes();
    if (current != null) {
      bytes += shared ? index.entryLength(Math.min(entry, endEntry - 1)) : current.capacity();
    }
    bytes += ahead == null ? 0 : ahead.capacity();
    return bytes + (spare == null ? 0 : spare.length);
  }

  private void account() {
    long held = held();
    reserve(merging ? Math.max(held, reserved()) : held);
  }

  private void takeBlock(int position) throws IOException {
    byte[] bytes = current.bytes();
    int limit = position + index.entryLength(entry);
    BlockHeader header = BlockHeader.read(ByteBuffer.wrap(bytes), position, limit);
    checkHeader(header);
    boolean sorted = index.ordering() == Ordering.NORMALIZED;
    if (range != null) {
      boundBlock();
    }
    take(
        header,
        bytes,
        position + BlockHeader.LENGTH,
        sorted ? chunk.id() : 0,
        sorted ? index.entryOffset(entry) : 0);
  }

  /**
   * Inside a range the index says that all keys of a block are in it; a run of one block is edge.
   */
  private void boundBlock() {
    if (index.ordering() == Ordering.COMPARATOR) {
      bound(range, chunk.set().comparator(), null);
    } else {
      boolean inside = index.isInside(entry, range.from(), range.to());
      bound(inside ? null : range, null, index.entryKey(entry));
    }
  }

  /** A block with another header than the index promises is another block. */
  private void checkHeader(BlockHeader header) throws CorruptFormatException {
    boolean sorted = index.ordering() == Ordering.NORMALIZED;
    boolean same =
        header.blockLength() == index.entryLength(entry)
            && header.rawLength() == index.entryRawLength(entry)
            && header.records() == index.entryRecords(entry)
            && header.partition() == chunk.set().metaserver().partition()
            && header.tagged() == sorted;
    if (same && !sorted) {
      same =
          header.map() == index.sourceMap(run)
              && header.attempt() == index.sourceAttempt(run)
              && header.sequence() == index.sourceSequence(run);
    }
    if (!same) {
      throw new CorruptFormatException(
          "block is not the one that the index names: %s, found=%s"
              .formatted(index.describeEntry(entry), header));
    }
  }

  private void rereadBlock(int position, FormatException first) throws IOException {
    chunk.set().statistics().rereads++;
    ReadFetch again =
        new ReadFetch(
            chunk, index.entryOffset(entry), index.entryLength(entry), index.entryLength(entry));
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
                  .formatted(index.entryOffset(entry), e.getMessage()),
              e));
    }
  }

  @Override
  int rankOf(int source) throws CorruptFormatException {
    int[] ranks = chunk.ranks();
    int ordinal = index.ordering() == Ordering.NORMALIZED ? source : run;
    if (ordinal >= ranks.length) {
      throw new CorruptFormatException(
          "record names a source that the chunk does not have: source=%s sources=%s"
              .formatted(ordinal, ranks.length));
    }
    return ranks[ordinal];
  }

  @Override
  IOException damaged(FormatException damage) {
    return chunk.lost(
        new IOException("block of entry=" + (entry - 1) + ": " + damage.getMessage(), damage));
  }

  private void end() {
    if (!counted) {
      counted = true;
      chunk.countRun(walked(), delivered());
    }
    release();
  }

  @Override
  void release() {
    current = null;
    ahead = null;
    spare = null;
    forget();
  }
}
