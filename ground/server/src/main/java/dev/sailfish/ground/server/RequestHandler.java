package dev.sailfish.ground.server;

import java.io.IOException;

/**
 * What a server does with requests. Called by the server's I/O threads, several at a time for
 * different connections and one at a time for one connection, in the order of the frames. HELLO and
 * AUTHENTICATE never get here.
 */
public interface RequestHandler {
  /**
   * Does the work of one request, or passes it on to another thread, but does not wait: the other
   * connections of the same I/O thread stand still meanwhile. Exactly one reply must follow for
   * each request, now or later, from any thread.
   *
   * @throws RequestRefusedException to answer with its status; only if no reply was given yet
   * @throws IOException to answer with INTERNAL; it is logged with caller and operation
   */
  void handle(Request request) throws IOException;

  /**
   * Where the payload of a request goes, asked before its first byte is read and only when it has
   * one.
   *
   * @param request its header can be read; it is answered later, when all bytes have come
   * @param payloadLength bytes to come, at least 1 and at most {@code
   *     FrameDescriptor.MAX_PAYLOAD_LENGTH}
   * @return the sink, or null to have it collected into {@link Request#payload()} up to the limits
   *     of {@link ServerConfig.Limits}
   * @throws RequestRefusedException to answer with its status at once; the payload is read and
   *     dropped, and {@link #handle} is not called
   * @throws IOException as an INTERNAL error, likewise
   */
  default PayloadSink payloadSink(Request request, int payloadLength) throws IOException {
    return null;
  }
}
