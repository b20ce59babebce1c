package dev.sailfish.imerger.merge;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.order.KeyEncoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Walks over the records of one sorted run that count, block by block. Subclasses bring the blocks;
 * this class takes them apart. No object is made per record.
 *
 * <p>The current record is valid until {@link #advance}. In front of its key are at least {@link
 * KeyEncoding#MAX_PREFIX} bytes of the array that nobody needs any more (headers and records
 * already passed, or {@link #SLACK}), so that a key can be denormalized in place.
 */
public abstract class RunCursor {
  /** Bytes kept free in front of decompressed or decrypted records. */
  protected static final int SLACK = 8;

  private static final byte[] NOTHING = new byte[0];

  /** Decodes blocks, and counts what all runs hold. */
  protected final BlockDecoder decoder;

  private final RecordCursor cursor = new RecordCursor();
  private byte[] buffer = NOTHING;
  private ByteBuffer words = ByteBuffer.wrap(NOTHING);
  private byte[] raw = NOTHING;
  private int recordsOfBlock;
  private int recordsSeen;
  private long walked;
  private long delivered;
  private long reserved;
  private boolean prefixed;
  private boolean ended;
  private int rank;
  private long prefix;

  /** A run before its first record. */
  protected RunCursor(BlockDecoder decoder) {
    this.decoder = decoder;
  }

  /** Memory that the run needs at least while it is merged, in bytes. */
  protected abstract long minimumBytes();

  /**
   * Gets ready for merging: sends the first request ahead, if need be for some of the next runs,
   * too.
   *
   * @param group runs that are merged; this one is at {@code position}
   * @param windowBytes how much to read at a time, if blocks are not longer
   * @return how many runs are ready: this one, and those that follow it
   */
  protected abstract int open(List<RunCursor> group, int position, int windowBytes)
      throws IOException;

  /**
   * Hands the next block to {@link #take}.
   *
   * @return false when there is none
   */
  protected abstract boolean nextBlock() throws IOException;

  /** What the rank of the current record is; negative when it does not count. */
  protected abstract int rankOf(int source) throws CorruptFormatException;

  /** Turns damage that was found in the records of the current block into what the merge throws. */
  protected abstract IOException damaged(FormatException damage);

  /** Gives all buffers back. */
  public abstract void release();

  /** Asks for key prefixes; without them {@link #prefix} says nothing. */
  final void usePrefix() {
    prefixed = true;
  }

  /**
   * Moves to the next record that counts.
   *
   * @return false when there is none; from then on {@link #ended}
   */
  final boolean advance() throws IOException {
    try {
      do {
        while (cursor.next()) {
          if (takeRecord()) {
            return true;
          }
        }
        checkCount();
      } while (nextBlock());
    } catch (FormatException e) {
      throw damaged(e);
    }
    ended = true;
    return false;
  }

  /** Looks at the record that the cursor is on; returns whether it counts. */
  private boolean takeRecord() throws CorruptFormatException {
    recordsSeen++;
    rank = rankOf(cursor.source());
    if (rank < 0) {
      return false;
    }
    delivered++;
    if (prefixed) {
      takePrefix();
    }
    return true;
  }

  private void checkCount() throws CorruptFormatException {
    if (recordsSeen != recordsOfBlock) {
      throw new CorruptFormatException(
          "block has another number of records than its header says: records=%s header=%s"
              .formatted(recordsSeen, recordsOfBlock));
    }
    walked += recordsSeen;
  }

  private void takePrefix() throws CorruptFormatException {
    int offset = cursor.keyOffset();
    int length = cursor.keyLength();
    long next;
    if (offset + Long.BYTES > buffer.length) {
      next = KeyEncoding.prefix(buffer, offset, length);
    } else if (length >= Long.BYTES) {
      next = words.getLong(offset);
    } else {
      next = length == 0 ? 0 : words.getLong(offset) & -1L << (Long.SIZE - Byte.SIZE * length);
    }
    // Flipped, so that the signed order of prefixes is the unsigned order of keys.
    next ^= Long.MIN_VALUE;
    if (next < prefix && delivered > 1) {
      throw new CorruptFormatException(
          "run is not sorted: prefix=%x after prefix=%x"
              .formatted(next ^ Long.MIN_VALUE, prefix ^ Long.MIN_VALUE));
    }
    prefix = next;
  }

  /**
   * Makes the records of a block current.
   *
   * @param stored array with the block's stored bytes at {@code offset}, at least {@link #SLACK}
   *     bytes behind its beginning
   * @param chunk id of the chunk that a sorted block is in, or 0
   * @param place of a sorted block in its chunk or file, or 0
   * @throws FormatException when the bytes are damaged
   */
  protected final void take(BlockHeader header, byte[] stored, int offset, long chunk, long place)
      throws IOException {
    header.checkStored(stored, offset);
    int length = header.rawLength();
    if (header.encrypted() != decoder.encrypted()) {
      throw new CorruptFormatException(
          "block and job do not fit: block encrypted=%s job encrypted=%s"
              .formatted(header.encrypted(), decoder.encrypted()));
    }
    if (header.codec() == CodecId.NONE && !header.encrypted()) {
      use(stored);
      cursor.reset(stored, offset, length, header.tagged());
    } else {
      if (raw.length < SLACK + length) {
        raw = new byte[Math.max(SLACK + length, rawCapacity())];
      }
      decoder.decode(header, stored, offset, chunk, place, raw, SLACK);
      use(raw);
      cursor.reset(raw, SLACK, length, header.tagged());
    }
    recordsOfBlock = header.records();
    recordsSeen = 0;
  }

  private void use(byte[] array) {
    if (buffer != array) {
      buffer = array;
      words = ByteBuffer.wrap(array);
    }
  }

  /** How long the array for decompressed or decrypted records should be. */
  protected int rawCapacity() {
    return 0;
  }

  /** Bytes that the array for decompressed or decrypted records takes. */
  protected final int rawBytes() {
    return raw.length;
  }

  /** Counts {@code bytes} as what this run holds. */
  protected final void reserve(long bytes) {
    decoder.hold(bytes - reserved);
    reserved = bytes;
  }

  /** Bytes that this run holds, as {@link #reserve} was told. */
  public final long reserved() {
    return reserved;
  }

  /** Forgets the current record and its buffers. */
  protected final void forget() {
    cursor.reset(NOTHING, 0, 0, false);
    buffer = NOTHING;
    words = ByteBuffer.wrap(NOTHING);
    raw = NOTHING;
    recordsOfBlock = 0;
    recordsSeen = 0;
    reserve(0);
  }

  /** Whether all records have been passed. */
  final boolean ended() {
    return ended;
  }

  /** Records of all blocks that were passed, whether they counted or not. */
  protected final long walked() {
    return walked;
  }

  /** Records that counted so far. */
  protected final long delivered() {
    return delivered;
  }

  /** Rank of the current record. */
  final int rank() {
    return rank;
  }

  /** First bytes of the current key; the signed order of prefixes agrees with that of the keys. */
  final long prefix() {
    return prefix;
  }

  /** The array that the offsets are in. */
  public final byte[] buffer() {
    return buffer;
  }

  /** Where the current key begins. */
  public final int keyOffset() {
    return cursor.keyOffset();
  }

  /** Length of the current key in bytes. */
  public final int keyLength() {
    return cursor.keyLength();
  }

  /** Where the current value begins. */
  public final int valueOffset() {
    return cursor.valueOffset();
  }

  /** Length of the current value in bytes. */
  public final int valueLength() {
    return cursor.valueLength();
  }
}
