package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/** Requests of one thread, so many of which are on their way at a time. */
final class InFlight {
  /** How many; 1: each has its answer before the next is made. */
  static final int MOST = Integer.getInteger("sailfish.bench.in.flight", 1);

  /** Whether an empty file is made by one change, or by two as any other one. */
  static final boolean ONE_CHANGE = Boolean.getBoolean("sailfish.bench.one.change");

  private final Semaphore room = new Semaphore(MOST);
  private volatile Throwable failure;

  /** Waits until there is room for one more. */
  void begin() throws IOException {
    acquire(1);
  }

  /** One more is on its way. */
  void add(CompletableFuture<?> request) {
    request.whenComplete(
        (result, error) -> {
          failure = error == null ? failure : error;
          room.release();
        });
  }

  /** Waits until all have their answers. */
  void end() throws IOException {
    acquire(MOST);
    room.release(MOST);
  }

  private void acquire(int count) throws IOException {
    try {
      room.acquire(count);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
    if (failure != null) {
      throw new CompletionException(failure);
    }
  }
}
