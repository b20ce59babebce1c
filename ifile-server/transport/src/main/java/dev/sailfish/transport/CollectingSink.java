package dev.sailfish.transport;

import dev.sailfish.protocol.Status;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collects the payload of one request into an array that grows with what really comes, within a
 * budget that all connections of a server share. The budget is given back when the request is
 * answered or aborted.
 */
final class CollectingSink implements PayloadSink {
  private static final int FIRST_BYTES = 64 << 10;

  private final AtomicLong used;
  private final int length;
  private byte[] bytes;
  private int filled;
  private boolean held = true;

  private CollectingSink(AtomicLong used, int length) {
    this.used = used;
    this.length = length;
    this.bytes = new byte[Math.min(length, FIRST_BYTES)];
  }

  /**
   * Reserves room for a payload.
   *
   * @param used bytes of the budget that are taken, shared by the server's connections
   * @throws RequestRefusedException BAD_REQUEST when it is too long at all, BUSY when the budget
   *     has no room now
   */
  static CollectingSink open(AtomicLong used, int length, ServerConfig.Limits limits)
      throws RequestRefusedException {
    if (length > limits.collectedBytes()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "request is too long: payload=" + length + " limit=" + limits.collectedBytes());
    }
    long total = used.addAndGet(length);
    if (total > limits.collectedTotalBytes()) {
      used.addAndGet(-length);
      throw new RequestRefusedException(
          Status.BUSY,
          "too many long requests at a time: bytes="
              + total
              + " limit="
              + limits.collectedTotalBytes()
              + "; try again");
    }
    return new CollectingSink(used, length);
  }

  @Override
  public void write(ByteBuffer piece) {
    int end = filled + piece.remaining();
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.min(length, Math.max(end, 2 * bytes.length)));
    }
    piece.get(bytes, filled, piece.remaining());
    filled = end;
  }

  /** All bytes, when all have come. */
  byte[] bytes() {
    return bytes;
  }

  @Override
  public synchronized void abort() {
    if (held) {
      held = false;
      used.addAndGet(-length);
    }
  }
}
