package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.lineage.protocol.BlockTail;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A block of this worker. */
public final class StoredBlock implements PieceSource {
  private final Segment segment;
  private final BlockTail tail;

  /**
   * @throws dev.sailfish.ground.server.RequestRefusedException NOT_HELD when it is not here
   */
  public StoredBlock(BlockTable blocks, BlockId id) throws IOException {
    segment = blocks.acquire(id);
    boolean isRead = false;
    try {
      tail = BlockTable.readTail(id, segment.channel(), segment.length());
      isRead = true;
    } finally {
      if (!isRead) {
        segment.release();
      }
    }
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    int start = into.position();
    BlockTable.read(segment.channel(), into, offset);
    tail.verify(offset, into.slice(start, into.limit() - start));
  }

  @Override
  public void close() {
    segment.release();
  }
}
