package dev.sailfish.imerger;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The part of a chunk's run that may hold keys of a range, read with READ_RANGE, which the server
 * of an encrypted chunk cannot answer: see {@link EncryptedRange}. The blocks at both ends hold
 * other keys too; the reader of the merge skips them.
 */
final class RangeRun extends RunCursor {
  private static final int MAX_WINDOW_BYTES = (1 << 20) - 64;

  private final SortedChunk chunk;
  private final int run;
  private final byte[] lower;
  private final byte[] upper;
  private int windowBytes;
  private RangeFetch current;
  private int fromEntry;
  private int position;

  /**
   * @param lower normalized key that the range begins with
   * @param upper normalized key behind the range, or null
   */
  RangeRun(SortedChunk chunk, int run, byte[] lower, byte[] upper) {
    super(chunk.session());
    this.chunk = chunk;
    this.run = run;
    this.lower = lower;
    this.upper = upper;
  }

  @Override
  long minimumBytes() {
    ChunkIndex index = chunk.index();
    long block = 0;
    for (int i = index.runStart(run); i < index.runStart(run + 1); i++) {
      block = Math.max(block, index.length(i));
    }
    return block + rawCapacity();
  }

  @Override
  int rawCapacity() {
    ChunkIndex index = chunk.index();
    int raw = 0;
    for (int i = index.runStart(run); i < index.runStart(run + 1); i++) {
      raw = Math.max(raw, index.compressed(i) ? SLACK + index.rawLength(i) : 0);
    }
    return raw;
  }

  @Override
  void open(int bytes) throws IOException {
    windowBytes = Math.min(bytes, MAX_WINDOW_BYTES);
    reserve(Math.max(minimumBytes(), windowBytes));
    current = send(0);
  }

  private RangeFetch send(int entry) throws IOException {
    fromEntry = entry;
    position = 0;
    RangeFetch fetch = new RangeFetch(chunk, run, lower, upper, entry, windowBytes);
    chunk.link().send(fetch);
    return fetch;
  }

  @Override
  boolean nextBlock() throws IOException {
    try {
      chunk.await(current);
      while (position == current.bytes().length) {
        if (current.nextEntry() == 0) {
          release();
          return false;
        }
        current = send(current.nextEntry());
        chunk.await(current);
      }
      takeBlock();
    } catch (UnavailableException e) {
      throw chunk.lost(e);
    } catch (UnsupportedFormatException e) {
      throw new IOException(chunk + " range entry=" + fromEntry + ": " + e.getMessage(), e);
    } catch (FormatException e) {
      readAgain(e);
    }
    return true;
  }

  private void takeBlock() throws IOException {
    byte[] bytes = current.bytes();
    BlockHeader header = BlockHeader.read(ByteBuffer.wrap(bytes), position, bytes.length);
    if (header.partition() != session().partition()
        || !header.tagged()
        || header.blockLength() > bytes.length - position) {
      throw new CorruptFormatException(
          "block does not belong here: run="
              + run
              + " partition="
              + session().partition()
              + " readable="
              + (bytes.length - position)
              + " found="
              + header);
    }
    take(header, bytes, position + BlockHeader.LENGTH, 0, 0);
    position += header.blockLength();
    session().statistics().rawBytes += header.rawLength();
  }

  private void readAgain(FormatException first) throws IOException {
    session().statistics().rereads++;
    int at = position;
    try {
      current = send(fromEntry);
      chunk.await(current);
      position = at;
      takeBlock();
    } catch (UnavailableException | FormatException e) {
      e.addSuppressed(first);
      throw chunk.lost(
          new IOException(
              "range from entry="
                  + fromEntry
                  + " is damaged, also when read again: "
                  + e.getMessage(),
              e));
    }
  }

  @Override
  int rankOf(int source) throws CorruptFormatException {
    int[] ranks = chunk.ranks();
    if (source >= ranks.length) {
      throw new CorruptFormatException(
          "record names a source that the chunk does not have: source="
              + source
              + " sources="
              + ranks.length);
    }
    return ranks[source];
  }

  @Override
  IOException damaged(FormatException damage) {
    return chunk.lost(new IOException("range: " + damage.getMessage(), damage));
  }

  @Override
  void release() {
    current = null;
    forget();
  }
}
