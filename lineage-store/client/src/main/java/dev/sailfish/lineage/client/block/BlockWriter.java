package dev.sailfish.lineage.client.block;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes one block to one worker. After an exception nothing but {@link #close} is of use: the
 * block is lost. For one thread.
 */
public interface BlockWriter extends Closeable {
  /**
   * Writes the next bytes.
   *
   * @param bytes whole units of {@code BlockTail.UNIT}, but for the last call; from position to
   *     limit, and not needed any more when this returns; the position is at the limit then
   */
  void write(ByteBuffer bytes) throws IOException;

  /**
   * Ends the block.
   *
   * @return where it is, for the master
   */
  int seal() throws IOException;

  /** Gives the block up if it is not sealed. */
  @Override
  void close();
}
