package dev.sailfish.format.tail;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.BufferRecordCursor;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.RunDescriptor;
import java.nio.ByteBuffer;

/**
 * Walks over what the index of a chunk with {@link Ordering#COMPARATOR} names of one appended
 * block: the blocks of a run ({@link RunDescriptor}), or else the block itself. Tells first keys
 * where they can be had without decompressing. Only absolute reads: the buffer's position and limit
 * are neither used nor changed. Not thread-safe.
 */
public final class IndexedBlockCursor {
  private final ByteBuffer chunk;
  private final BufferRecordCursor record = new BufferRecordCursor();
  private PlacedBlock appended;
  private PlacedBlock block;
  private int position;
  private int blocksLeft;
  private int recordsLeft;
  private int rawBytesLeft;
  private int keyOffset;
  private int keyLength;

  /** A cursor over blocks of this chunk; {@link #reset} goes to the first. */
  public IndexedBlockCursor(ByteBuffer chunk) {
    this.chunk = chunk;
  }

  /** Goes before the first block of one that was appended, whose stored bytes are good. */
  public void reset(PlacedBlock newAppended) {
    BlockHeader header = newAppended.header();
    appended = newAppended;
    position = header.isRun() ? newAppended.storedOffset() : newAppended.offset();
    blocksLeft = (int) RunDescriptor.mostBlocks(1, header.rawLength());
    recordsLeft = header.records();
    rawBytesLeft = header.rawLength();
  }

  /**
   * Passes the next block.
   *
   * @return false at the end
   * @throws FormatException when the run is not laid out as it must be
   */
  public boolean next() throws FormatException {
    if (position == appended.end()) {
      if (recordsLeft != 0 || rawBytesLeft != 0) {
        throw malformed("other records than its header says: too few=" + recordsLeft);
      }
      return false;
    }
    if (appended.header().isRun()) {
      nextOfRun();
    } else {
      block = appended;
      seekFirstKey();
    }
    position = block.end();
    recordsLeft -= block.header().records();
    rawBytesLeft -= block.header().rawLength();
    return true;
  }

  private void nextOfRun() throws FormatException {
    keyOffset = position + RunDescriptor.KEY_OFFSET;
    int left = appended.end() - keyOffset;
    keyLength = left < 0 ? RunDescriptor.NO_KEY : chunk.getShort(position);
    if (keyLength < 0 || keyLength > Math.min(left, RunDescriptor.MAX_KEY_LENGTH)) {
      throw malformed("a first key out of bounds: length=" + keyLength);
    }
    block = PlacedBlock.read(chunk, keyOffset + keyLength, appended.end());
    if (--blocksLeft < 0 || !isOfRun(block.header())) {
      throw malformed("a block that is not its own: " + block);
    }
  }

  private boolean isOfRun(BlockHeader header) {
    BlockHeader run = appended.header();
    return header.flags() == BlockHeader.FLAG_SORTED
        && header.partition() == run.partition()
        && PlacedBlock.BY_SOURCE.compare(block, appended) == 0
        && header.records() > 0
        && header.records() <= recordsLeft
        && header.rawLength() <= rawBytesLeft;
  }

  /** Of a block whose records are as they were appended: neither compressed nor encrypted. */
  private void seekFirstKey() throws CorruptFormatException {
    BlockHeader header = block.header();
    keyLength = RunDescriptor.NO_KEY;
    boolean plain = header.codec() == CodecId.NONE && !header.encrypted() && !header.tagged();
    if (plain && header.records() > 0) {
      record.reset(chunk, block.storedOffset(), header.rawLength());
      record.next();
      keyOffset = record.keyOffset();
      keyLength = Math.min(record.keyLength(), RunDescriptor.MAX_KEY_LENGTH);
    }
  }

  private CorruptFormatException malformed(String what) {
    return new CorruptFormatException(
        "run has %s: offset=%s position=%s".formatted(what, appended.offset(), position));
  }

  /** The block that was passed. */
  public PlacedBlock block() {
    return block;
  }

  /**
   * Copies the first key of the block, cut to {@link RunDescriptor#MAX_KEY_LENGTH} bytes.
   *
   * @param target has room for as many
   * @return its length; {@link RunDescriptor#NO_KEY} when it is not known here
   */
  public int firstKey(byte[] target) {
    if (keyLength > 0) {
      chunk.get(keyOffset, target, 0, keyLength);
    }
    return keyLength;
  }
}
