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
   * Bytes of the block, checked, read-only. On the worker's host they are mapped, and stay so,
   * whatever becomes of the block, until nobody refers to them; else they are in memory of this
   * process.
   *
   * @param offset of the first byte in the block
   * @param count of bytes, which the block has
   */
  ByteBuffer map(long offset, int count) throws IOException;

  /**
   * Nothing is read for a while: no more is done ahead until then.
   *
   * @return whether it may rest; one that holds a connection is to be closed instead
   */
  boolean rest();

  /** How long the block is, in bytes. */
  long length();

  @Override
  void close();
}
