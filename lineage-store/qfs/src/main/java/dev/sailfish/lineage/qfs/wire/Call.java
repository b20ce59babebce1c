package dev.sailfish.lineage.qfs.wire;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A request on its way, and its reply once that is there. Any thread may wait. While it is not done
 * its buffers are the connection's; when a wait has ended, however it ended, they are the caller's
 * again.
 */
public final class Call {
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);

  private final Connection connection;
  private final Request request;
  private final long deadlineNs;
  private final CountDownLatch done = new CountDownLatch(1);
  // Written before the latch opens, read after it.
  private Reply reply;
  private IOException failure;

  Call(Connection connection, Request request, long deadlineNs) {
    this.connection = connection;
    this.request = request;
    this.deadlineNs = deadlineNs;
  }

  /**
   * Waits for the reply, whatever its status.
   *
   * @throws BrokenConnectionException when none will come
   * @throws InterruptedIOException when the thread is interrupted; the connection is given up
   */
  public Reply await() throws IOException {
    boolean interrupted = false;
    while (!isDone()) {
      try {
        long leftNs = Math.max(0, deadlineNs - connection.clock().nanoTime());
        if (!done.await(leftNs + GRACE_NS, TimeUnit.NANOSECONDS)) {
          connection.breakOff("no reply in time to " + request, null);
        }
      } catch (InterruptedException e) {
        // Its reader lets go of the buffers first.
        interrupted = true;
        connection.breakOff("interrupted during " + request, null);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + request + " at " + connection.server());
    }
    if (failure != null) {
      throw new BrokenConnectionException(
          "%s at %s has no reply: %s".formatted(request, connection.server(), failure.getMessage()),
          failure);
    }
    return reply;
  }

  /**
   * Waits for a good reply.
   *
   * @throws QfsException when the server refuses
   * @throws BrokenConnectionException when no reply will come
   */
  public Reply answer() throws IOException {
    Reply came = await();
    if (came.status() < 0) {
      String words = came.message();
      throw new QfsException(
          came.status(),
          request.operation(),
          request.subject(),
          connection.server() + (words.isEmpty() ? "" : ", which says: " + words));
    }
    return came;
  }

  /** Whether a wait would end at once. */
  public boolean isDone() {
    return done.getCount() == 0;
  }

  Request request() {
    return request;
  }

  long deadlineNs() {
    return deadlineNs;
  }

  void complete(Reply came) {
    reply = came;
    done.countDown();
  }

  void fail(IOException why) {
    failure = why;
    done.countDown();
  }
}
