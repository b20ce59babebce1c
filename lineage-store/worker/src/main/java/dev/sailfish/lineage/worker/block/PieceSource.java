package dev.sailfish.lineage.worker.block;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A sealed block, wherever it is. For one thread. */
public interface PieceSource extends Closeable {
  /**
   * Reads bytes, and checks that they are those that were written.
   *
   * @param offset in the block, a multiple of the unit
   * @param into filled up to its limit: whole units, or up to the end of the block
   */
  void read(long offset, ByteBuffer into) throws IOException;

  @Override
  void close();
}
