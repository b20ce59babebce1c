package dev.sailfish.ground.wire;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * One stream of bytes each way to a peer, as a {@link Connection} needs it: nothing waits but
 * {@link #await}. Made by a {@link Network}. For one thread at a time; bytes come whole and in
 * order, or the wire breaks with an IOException and can only be closed.
 *
 * <p>A wire that does work of its own on the bytes (TLS) may hold some back. Then {@link #write}
 * sends on what it held back before it takes more, {@link #await} returns at once when bytes can be
 * read that need nothing more from the peer, and {@link #connect} is done when its handshake is.
 */
public interface Wire extends Closeable {
  /** To wait until {@link #read} may give something, or tell of the end. */
  int READ = SelectionKey.OP_READ;

  /** To wait until {@link #write} may take something. */
  int WRITE = SelectionKey.OP_WRITE;

  /** To wait until {@link #connect} may go on. */
  int CONNECT = SelectionKey.OP_CONNECT;

  /**
   * Begins to connect, and goes on with it at each further call.
   *
   * @return true when the wire is connected; false: wait for {@link #CONNECT} and call again
   */
  boolean connect() throws IOException;

  /**
   * Takes bytes for the peer.
   *
   * @param bytes from position to limit; the position moves past what was taken
   * @return how many bytes were taken; 0 when there is no room now
   */
  int write(ByteBuffer bytes) throws IOException;

  /**
   * Sends on what {@link #write} has taken and held back. A caller that has written a whole message
   * calls it until it is done, so that the peer does not wait for the rest until the next call.
   *
   * @return true when nothing is held back; false: wait for {@link #WRITE} and call again
   */
  default boolean flush() throws IOException {
    return true;
  }

  /**
   * Gives bytes of the peer.
   *
   * @param target is filled from its position; has room
   * @return how many bytes there were; 0 when there are none now, -1 when no more will come
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Waits until something may be done, or a little less: callers try, and wait again. Ends at once
   * when the thread is or gets interrupted, which the caller looks for, and by {@link #wake}.
   *
   * @param interest {@link #READ}, {@link #WRITE} and {@link #CONNECT}, added
   * @param waitMs the longest wait in milliseconds, at least 1
   */
  void await(int interest, long waitMs) throws IOException;

  /**
   * Has the {@link #await} that runs, or the next one, end at once. From any thread; a wire that
   * only one thread knows has no use for it.
   */
  default void wake() {}

  /** Whether it was not closed. */
  boolean isOpen();
}
