package dev.sailfish.lineage.qfs.append;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * One writer of a {@link RecordAppendFile}. Thread-safe.
 *
 * <p><b>Order.</b> The records of one appender are in the file in the order in which {@link
 * #append} got them; between them may be records of others.
 *
 * <p><b>What is atomic.</b> QFS appends the bytes of one request back to back, in one chunk, to all
 * replicas or to none. An appender has one request on its way, because QFS allows no more; records
 * that come meanwhile wait and go together with the next one. So a record is never torn apart, and
 * never there twice, whatever is lost or killed on the way; the records of one request, which
 * nobody chooses, stand back to back. QFS keeps no border between records: their bytes have to tell
 * their length.
 *
 * <p><b>What an acknowledgement says.</b> All servers of the chunk have the record, in memory. It
 * can be read when the chunk is stable ({@link RecordAppendFile#makeStable}), and is on disk only
 * some time after that; a chunk that is not stable is gone when all its servers were started again.
 *
 * <p><b>What is lost.</b> An acknowledgement that does not come is asked for, and the record sent
 * again only if no server has it. When the first server of a chunk dies, what was on its way is in
 * doubt until QFS makes the chunk stable, 30 s later unless its metaserver is told otherwise; the
 * appender waits for that, as long as {@link AppendSettings#retry} lets it.
 *
 * <p><b>Memory.</b> Two buffers of {@link AppendSettings#batchBytes}; when both are full, {@link
 * #append} waits.
 *
 * <p>After an error all records that were not acknowledged have failed, and so does every later
 * call: a later record must not overtake an earlier one.
 */
public final class RecordAppender implements Closeable {
  /** Of the batch on its way, of the one that waits, and one for what takes longer than it may. */
  private static final int MOST_DEADLINES = 3;

  private final String path;
  private final AppendSettings settings;
  private final ChunkAppender chunks; // of who has set sending
  private final Executor executor;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private AppendBatch filling;
  private AppendBatch spare;
  private boolean sending;
  private long taken;
  private long finished;
  private boolean closed;
  private IOException failure;

  /**
   * @param executor runs, while there are records, one task for this appender
   */
  RecordAppender(String path, ChunkAppender chunks, AppendSettings settings, Executor executor) {
    this.path = path;
    this.chunks = chunks;
    this.settings = settings;
    this.executor = executor;
    filling = new AppendBatch(settings.batchBytes());
    spare = new AppendBatch(settings.batchBytes());
  }

  /**
   * Takes a record; waits while too many bytes wait.
   *
   * @param record copied; its position moves to its limit. At least one byte and no more than
   *     {@link AppendSettings#batchBytes}
   * @return done when all replicas have it, or with an {@link AppendException}
   * @throws IOException when an earlier record has failed, or no room came before the deadline
   */
  public CompletableFuture<RecordLocation> append(ByteBuffer record) throws IOException {
    int length = record.remaining();
    if (length < 1 || length > settings.batchBytes()) {
      throw new IllegalArgumentException(
          "append to %s: record_bytes=%d allowed=1..%d"
              .formatted(path, length, settings.batchBytes()));
    }
    lock.lock();
    try {
      await(() -> closed || filling.hasRoomFor(length), "room for a record");
      if (closed) {
        throw new IOException("append to " + path + ": the appender is closed");
      }
      CompletableFuture<RecordLocation> done = filling.add(record);
      taken++;
      if (!sending) {
        executor.execute(this::send);
        sending = true;
      }
      return done;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all replicas have all records that were taken before.
   *
   * @throws IOException when a record has failed
   */
  public void flush() throws IOException {
    lock.lock();
    try {
      long last = taken;
      await(() -> finished >= last, "acknowledgements");
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits as {@link #flush} does, and gives the chunk free for others. Does nothing the second
   * time.
   *
   * @throws IOException when a record has failed
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      changed.signalAll();
      await(() -> !sending, "acknowledgements");
      chunks.close();
    } finally {
      lock.unlock();
    }
  }

  private void send() {
    AppendBatch batch = take();
    while (batch != null) {
      try {
        long offset = chunks.append(batch.records());
        finish(batch.completeAt(offset));
      } catch (IOException e) {
        chunks.close();
        failAll(batch, e);
      } catch (RuntimeException e) {
        failAll(batch, new IOException("append to " + path + ": " + e, e));
        throw e;
      }
      batch = next(batch);
    }
  }

  private AppendBatch take() {
    lock.lock();
    try {
      if (filling.isEmpty()) {
        sending = false;
        changed.signalAll();
        return null;
      }
      AppendBatch full = filling;
      filling = spare;
      spare = null;
      changed.signalAll();
      return full;
    } finally {
      lock.unlock();
    }
  }

  private void finish(int records) {
    lock.lock();
    try {
      finished += records;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private AppendBatch next(AppendBatch done) {
    lock.lock();
    try {
      spare = done;
      return take();
    } finally {
      lock.unlock();
    }
  }

  private void failAll(AppendBatch batch, IOException cause) {
    lock.lock();
    try {
      failure = cause;
      changed.signalAll();
      batch.fail(cause);
      filling.fail(cause);
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock; what is awaited comes with an append, which ends at its own deadline. */
  private void await(BooleanSupplier condition, String what) throws IOException {
    Duration most = settings.retry().deadline().multipliedBy(MOST_DEADLINES);
    long left = most.toNanos();
    try {
      while (failure == null && !condition.getAsBoolean()) {
        if (left <= 0) {
          throw new IOException(
              ("append to %s: no %s within %s, taken=%d acknowledged=%d; see with qfsping that"
                      + " chunkservers are up, and make the file stable and read it before records"
                      + " are appended again")
                  .formatted(path, what, most, taken, finished));
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("append to " + path + ": interrupted, waits for " + what);
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }
}
