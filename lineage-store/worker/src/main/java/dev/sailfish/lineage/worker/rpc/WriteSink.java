package dev.sailfish.lineage.worker.rpc;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.worker.block.OpenBlock;
import java.nio.ByteBuffer;

/** Takes bytes of a block off the socket, straight to their place. Used by one I/O thread. */
final class WriteSink implements PayloadSink {
  private final OpenBlock block;
  private final long offset;
  private final int[] checksums;
  private final ByteBuffer room;

  /**
   * @param offset of the first byte in the block
   * @param count how many bytes come
   * @param checksums of their units, as the writer says
   * @throws RequestRefusedException when they cannot be taken
   */
  WriteSink(OpenBlock block, long offset, int count, int[] checksums)
      throws RequestRefusedException {
    this.block = block;
    this.offset = offset;
    this.checksums = checksums;
    if (!block.retain()) {
      throw new RequestRefusedException(Status.NOT_HELD, "the block was given up meanwhile");
    }
    boolean taken = false;
    try {
      room = block.room(offset, count);
      taken = true;
    } finally {
      if (!taken) {
        block.release();
      }
    }
  }

  @Override
  public void write(ByteBuffer piece) {
    room.put(piece);
  }

  /**
   * All bytes are here.
   *
   * @throws RequestRefusedException CORRUPT when they are damaged
   */
  void finish() throws RequestRefusedException {
    try {
      block.written(offset, room.capacity(), checksums);
    } finally {
      block.release();
    }
  }

  @Override
  public void abort() {
    block.release();
  }
}
