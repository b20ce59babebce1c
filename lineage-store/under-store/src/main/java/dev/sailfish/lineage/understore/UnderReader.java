package dev.sailfish.lineage.understore;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * An open file below; for one thread. After a call that failed nothing but {@link #close} is
 * possible.
 */
public interface UnderReader extends Closeable {
  /** The file as it was when it was opened. */
  UnderFile file();

  /**
   * Reads a range; waits for the under store, a deadline for each buffer.
   *
   * @param offset in the file, in bytes
   * @param destination is filled up, or as far as the file goes; the caller's again when this
   *     returns or throws, and not touched later
   * @return how many bytes, 0 at or behind the end of the file
   * @throws UnderStoreException CHANGED: the file is shorter than it was, or another one
   */
  int read(long offset, ByteBuffer destination) throws IOException;

  /**
   * Reads a range and passes it on; waits for the under store, a deadline for each buffer, and for
   * the channel.
   *
   * @param destination is written to on the caller's thread, and stays open
   * @throws UnderStoreException as {@link #read(long, ByteBuffer)}; CHANGED too when the file ends
   *     before the range does
   */
  void transfer(long offset, long length, WritableByteChannel destination) throws IOException;

  /**
   * Looks whether the file is still the one that was opened. To be called after the last read and
   * before what was read counts; waits for the under store.
   *
   * @throws UnderStoreException CHANGED: it is not, and what was read may be of both
   */
  void requireUnchanged() throws IOException;

  /** Waits no longer than the mount's deadline, and never fails. */
  @Override
  void close();
}
