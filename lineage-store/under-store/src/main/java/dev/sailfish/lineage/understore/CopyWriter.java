package dev.sailfish.lineage.understore;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes one copy; for one thread. Until {@link #commit} returns there is no copy, whatever
 * happens: to the writer, its process or the under store. After a call that failed nothing but
 * {@link #close} is possible; the next attempt is another writer.
 */
public interface CopyWriter extends Closeable {
  /**
   * Takes bytes. They go below in pieces of the mount's buffer, with a deadline for each; waits for
   * that.
   *
   * @param source is read to its end; the caller's again when this returns or throws
   */
  void write(ByteBuffer source) throws IOException;

  /**
   * Has the pieces that went below be on their disk, where the under store can do that in the
   * middle of a file. Who copies much beside others does it now and then: all at once at the end
   * would hold up what others sync on that disk.
   */
  void sync() throws IOException;

  /** How many bytes it has taken. */
  long length();

  /**
   * Makes the copy: syncs what was written, and gives it its name. Waits for the under store, as
   * long as the mount's deadline for that allows.
   *
   * <p>When there is the same content under the name already, of an earlier attempt whose answer
   * was lost, then that is the copy.
   *
   * @return what to journal; the copy counts once that is done
   * @throws UnderStoreException EXISTS: there is another file; CHANGED: the file to be replaced is
   *     not the one of the target; TIMEOUT: the copy may still come under its name, all of it
   */
  CopyRecord commit() throws IOException;

  /**
   * Gives the copy up, unless it was made; what was written goes. Waits no longer than the mount's
   * deadline, and never fails: what the under store does not remove now is removed when it answers,
   * or by {@link UnderStore#sweep}.
   */
  @Override
  void close();
}
