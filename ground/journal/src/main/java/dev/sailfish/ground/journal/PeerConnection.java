package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;

/** A connection to a peer; used by one thread at a time. */
public interface PeerConnection extends Closeable {
  /** Whether it is good for another question, as far as is known. */
  boolean isOpen();

  /**
   * Asks and waits for the answer.
   *
   * @param kind goes with the message, a small number
   * @return the answer; the caller's
   * @throws InterruptedIOException when the thread was interrupted, or nothing came for too long:
   *     then it is a SocketTimeoutException
   * @throws IOException when the connection breaks, or the other side refuses
   */
  byte[] ask(int kind, byte[] message) throws IOException;

  /**
   * Waits until the other side has closed the connection, or its process has ended, but not long.
   * For a connection over which nothing is asked now.
   *
   * @param waitMs the longest wait in milliseconds
   * @return whether the connection has ended
   * @throws InterruptedIOException when the thread was interrupted
   */
  boolean awaitEnd(long waitMs) throws InterruptedIOException;

  @Override
  void close();
}
