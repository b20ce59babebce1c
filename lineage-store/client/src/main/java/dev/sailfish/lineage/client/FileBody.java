package dev.sailfish.lineage.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;

/** Where the bytes of a file go that is being written. For one thread. */
interface FileBody extends Closeable {
  /**
   * Writes the next bytes.
   *
   * @param bytes whole units of a block, but for the end of the file; read to the end, and not
   *     needed any more when this returns
   * @param isEnd whether these are the last ones
   */
  void write(ByteBuffer bytes, boolean isEnd) throws IOException;

  /**
   * All bytes are written; waits until they are where they are to be.
   *
   * @return the places of the blocks, for the master
   */
  List<Integer> end() throws IOException;

  /** The {@code FileChecksum} of all bytes, once they are written; empty where nobody has it. */
  OptionalInt checksum();

  /** Gives up what is not at its end. */
  @Override
  void close();
}
