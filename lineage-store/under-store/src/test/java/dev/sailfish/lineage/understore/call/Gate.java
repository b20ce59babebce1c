package dev.sailfish.lineage.understore.call;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** What hangs until it is opened, whatever thread is interrupted; once open it lets all pass. */
public final class Gate {
  private final CountDownLatch opened = new CountDownLatch(1);
  private final AtomicInteger inside = new AtomicInteger();

  /** Waits before it. */
  public void pass() {
    inside.incrementAndGet();
    boolean interrupted = false;
    while (true) {
      try {
        opened.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    inside.decrementAndGet();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many wait. */
  public int waiting() {
    return inside.get();
  }

  /** Lets all pass, from now on. */
  public void open() {
    opened.countDown();
  }
}
