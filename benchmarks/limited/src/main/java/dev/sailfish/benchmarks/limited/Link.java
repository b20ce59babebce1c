package dev.sailfish.benchmarks.limited;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One direction of a link, which processes of this machine share through a file: all of them
 * together send so many bytes a second. Thread-safe.
 *
 * <p>The file's eight bytes at an offset are the time at which the link is free, by the machine's
 * monotonic clock, which is the same in all processes.
 */
final class Link {
  private static final VarHandle TIME =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  /** A time that is further ahead is of another start of the machine. */
  private static final long MOST_AHEAD_NS = TimeUnit.HOURS.toNanos(1);

  private final LinkRate rate;
  private final ByteBuffer freeNs;
  private final int offset;
  private final LongSupplier clockNs;

  /**
   * @param freeNs direct, with the time at the offset; never closed
   * @param offset a multiple of 8
   */
  Link(LinkRate rate, ByteBuffer freeNs, int offset, LongSupplier clockNs) {
    this.rate = rate;
    this.freeNs = freeNs;
    this.offset = offset;
    this.clockNs = clockNs;
  }

  /** Memory for the links of one process alone. */
  static ByteBuffer ownTimes(int bytes) {
    return ByteBuffer.allocateDirect(bytes + Long.BYTES).alignedSlice(Long.BYTES);
  }

  /** Memory for the links that all processes have which name this file; it is made if need be. */
  static ByteBuffer sharedTimes(Path file, int bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
    }
  }

  /** Takes the next turn on the link; tells when the bytes are through. */
  long reserveNs(long bytes) {
    long nowNs = clockNs.getAsLong();
    while (true) {
      long before = (long) TIME.getVolatile(freeNs, offset);
      boolean usable = before != 0 && before - nowNs < MOST_AHEAD_NS;
      long after = rate.freeAfterNs(usable ? before : Long.MIN_VALUE, nowNs, bytes);
      if (TIME.compareAndSet(freeNs, offset, before, after)) {
        return after;
      }
    }
  }

  /**
   * Waits until bytes are through.
   *
   * @throws InterruptedIOException the thread was interrupted, which it stays
   */
  void send(long bytes) throws IOException {
    if (bytes <= 0) {
      return;
    }
    long throughNs = reserveNs(bytes);
    for (long leftNs = throughNs - clockNs.getAsLong();
        leftNs > 0;
        leftNs = throughNs - clockNs.getAsLong()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted while " + bytes + " bytes were on the link");
      }
      LockSupport.parkNanos(this, leftNs);
    }
  }
}
