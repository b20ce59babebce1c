package dev.sailfish.ground.server.frame;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.wire.Status;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collects the payload of one request into an array that grows with what really comes, within a
 * budget that all connections of a server share. Only what was allocated counts: a peer that
 * announces much and sends nothing takes nothing from others. The budget is given back when the
 * request is answered or aborted.
 */
final class CollectingSink implements PayloadSink {
  private static final int FIRST_BYTES = 64 << 10;

  private final AtomicLong used;
  private final long most;
  private final int length;
  private byte[] bytes;
  private int filled;
  private boolean held = true;

  /**
   * Begins a payload.
   *
   * @param used bytes of the budget that are taken, shared by the server's connections
   * @throws RequestRefusedException BAD_REQUEST when it is too long at all, BUSY when the budget
   *     has no room now
   */
  CollectingSink(AtomicLong used, int length, ServerConfig.Limits limits)
      throws RequestRefusedException {
    if (length > limits.collectedBytes()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "request is too long: payload=" + length + " limit=" + limits.collectedBytes());
    }
    this.used = used;
    this.most = limits.collectedTotalBytes();
    this.length = length;
    int first = Math.min(length, FIRST_BYTES);
    take(first);
    this.bytes = new byte[first];
  }

  private void take(int more) throws RequestRefusedException {
    long total = used.addAndGet(more);
    if (total > most) {
      used.addAndGet(-more);
      throw new RequestRefusedException(
          Status.BUSY,
          "too many long requests at a time: bytes=" + total + " limit=" + most + "; try again");
    }
  }

  /**
   * Takes the next bytes.
   *
   * @throws RequestRefusedException BUSY when the budget has no room for them
   */
  @Override
  public synchronized void write(ByteBuffer piece) throws RequestRefusedException {
    int end = filled + piece.remaining();
    if (end > bytes.length) {
      int grown = (int) Math.min(length, Math.max(end, 2L * bytes.length));
      take(grown - bytes.length);
      bytes = Arrays.copyOf(bytes, grown);
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
      used.addAndGet(-bytes.length);
    }
  }
}
