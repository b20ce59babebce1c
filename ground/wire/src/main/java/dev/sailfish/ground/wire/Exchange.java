package dev.sailfish.ground.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a {@link Connection} does with the reply to one request. All methods are called on the
 * thread that uses the connection, inside {@link Connection#send} or {@link Connection#poll}, and
 * must not call back into the connection. Exactly one of {@link #done} and {@link #failed} is
 * called, once, unless the connection breaks first.
 */
public interface Exchange {
  /**
   * Gives the place for the payload of a good reply.
   *
   * @param header the reply's header; valid during the call
   * @param length bytes of payload to come, at least 1
   * @return a buffer with {@code length} bytes remaining; it must stay untouched until {@link
   *     #done}
   * @throws IOException when the payload is refused (too long, not expected): breaks the connection
   */
  default ByteBuffer payload(ByteBuffer header, int length) throws IOException {
    throw new IOException("reply has a payload that nobody asked for: length=" + length);
  }

  /**
   * The good reply is complete, with its payload.
   *
   * @param header the reply's header; valid during the call
   */
  void done(ByteBuffer header) throws IOException;

  /** The server refused or could not do it. */
  void failed(RemoteException error) throws IOException;
}
