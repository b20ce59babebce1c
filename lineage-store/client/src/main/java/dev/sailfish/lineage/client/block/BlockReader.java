package dev.sailfish.lineage.client.block;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one block from one worker. For one thread. */
public interface BlockReader extends Closeable {
  /**
   * Reads bytes, and checks that they are those that were written.
   *
   * @param offset of the first byte in the block, a multiple of {@code BlockTail.UNIT}
   * @param into room for whole units, or up to the end of the block; filled up to its limit
   * @throws dev.sailfish.lineage.protocol.DamagedBlockException when they are not
   * @throws IOException when the worker does not have the block, or is not to be reached
   */
  void read(long offset, ByteBuffer into) throws IOException;

  /**
   * The whole block, checked, read-only. On the worker's host it is mapped, and stays so, whatever
   * becomes of the block, until nobody refers to it; else it is in memory of this process.
   */
  ByteBuffer map() throws IOException;

  /** How long the block is, in bytes. */
  long length();

  @Override
  void close();
}
