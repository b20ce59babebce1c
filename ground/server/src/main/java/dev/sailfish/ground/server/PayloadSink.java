package dev.sailfish.ground.server;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes the payload of one request as it comes off the socket. All methods are called by the I/O
 * thread of the connection and must not wait. After {@link #write} was called for every byte, the
 * request goes to {@link RequestHandler#handle}, which finds this sink in {@link Request#sink()}.
 * Otherwise {@link #abort} is called, once: exactly one of the two happens.
 */
public interface PayloadSink {
  /**
   * The next bytes, in order.
   *
   * @param piece from position to limit; valid during this call only; at most what one read of the
   *     socket gave (256 KiB by default)
   * @throws RequestRefusedException when the payload is not wanted: the caller gets the status, the
   *     rest is read and dropped, and {@link #abort} is called
   * @throws IOException as an INTERNAL error, likewise
   */
  void write(ByteBuffer piece) throws IOException;

  /** The rest will never come, or was refused: give back what was taken for it. Never throws. */
  void abort();
}
