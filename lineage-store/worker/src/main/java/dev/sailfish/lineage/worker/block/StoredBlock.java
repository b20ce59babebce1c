package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block of this worker. One that is damaged is looked at as a whole, on the reader's thread. */
public final class StoredBlock implements PieceSource {
  private static final Logger LOG = LoggerFactory.getLogger(StoredBlock.class);

  private final BlockTable blocks;
  private final BlockId id;
  private final Segment segment;
  private final BlockTail tail;

  /**
   * @throws DamagedBlockException when it is not what was written: it goes
   * @throws dev.sailfish.ground.server.RequestRefusedException NOT_HELD when it is not here
   */
  public StoredBlock(BlockTable blocks, BlockId id) throws IOException {
    this.blocks = blocks;
    this.id = id;
    segment = blocks.acquire(id);
    boolean isRead = false;
    try {
      tail = BlockTable.readTail(id, segment.channel(), segment.length());
      isRead = true;
    } catch (DamagedBlockException e) {
      look();
      throw e;
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
    try {
      tail.verify(offset, into.slice(start, into.limit() - start));
    } catch (DamagedBlockException e) {
      look();
      throw e;
    }
  }

  private void look() {
    try {
      blocks.isDamaged(id);
    } catch (IOException e) {
      LOG.warn("{} cannot be looked at: {}", id, e.toString());
    }
  }

  @Override
  public void close() {
    segment.release();
  }
}
