package dev.sailfish.iappender;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A block on its way: its bytes are kept until a chunkserver has acknowledged it. It is the
 * exchange of its own append; replies are only noted, because they come while the connection is at
 * work.
 *
 * <pre>
 *   QUEUED ──▶ SENT ──▶ ACKED
 *     ▲         ├─────▶ REFUSED ──┐
 *     └─────────┴─────────────────┘
 *        connection broke, or may be tried again
 * </pre>
 */
final class StoredBlock implements Exchange {
  /** Where the block is. */
  enum State {
    QUEUED,
    SENT,
    ACKED,
    REFUSED
  }

  final int partition;
  final int sequence;

  /** Number of the block among all of this iappender. */
  final long ordinal;

  final byte[] bytes;
  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private final int offset;
  private final int length;
  private final List<StoredBlock> replied;

  State state = State.QUEUED;

  /** The chunk that it was sent to last. */
  long chunk;

  /** The server that it was sent to last. */
  AppendLink link;

  int tries;
  long firstTriedNs;
  long sentNs;
  long notBeforeNs;

  /** Why it was tried again last; null if it was not. */
  IOException lastError;

  /**
   * @param bytes holds the stored bytes at {@code offset}; the block's own until it is acknowledged
   * @param replied where the block adds itself when its append was answered
   */
  StoredBlock(
      BlockHeader blockHeader, long ordinal, byte[] bytes, int offset, List<StoredBlock> replied) {
    this.partition = blockHeader.partition();
    this.sequence = blockHeader.sequence();
    this.ordinal = ordinal;
    this.bytes = bytes;
    this.offset = offset;
    this.length = blockHeader.storedLength();
    this.replied = replied;
    blockHeader.write(header, 0);
  }

  /** The block's header, from the start. */
  ByteBuffer header() {
    return header.rewind();
  }

  /** The stored bytes. */
  ByteBuffer stored() {
    return ByteBuffer.wrap(bytes, offset, length);
  }

  @Override
  public void done(ByteBuffer reply) {
    state = State.ACKED;
    replied.add(this);
  }

  @Override
  public void failed(RemoteException error) {
    state = State.REFUSED;
    lastError = error;
    replied.add(this);
  }
}
