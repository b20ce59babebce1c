package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bytes from below that are not kept. Memory is bounded: a reader that finds no buffer waits for
 * one, and is told to come again later when there is none in time. Nothing waits on the caller's
 * thread. Thread-safe.
 */
public final class DirectReads {
  /** The most bytes that one answer has. */
  private static final int LONGEST = 4 << 20;

  private static final int BUFFERS = 16;
  private static final int BUFFERS_KEPT = 2;
  private static final long BUFFER_DEADLINE_MS = 10_000;

  private final UnderAccess access;
  private final UnderFiles files;
  private final Readers readers;
  private final Metrics<LineageWorkerMetric> metrics;
  private final Semaphore buffers = new Semaphore(BUFFERS);
  private final Deque<ByteBuffer> kept = new ArrayDeque<>();

  DirectReads(
      UnderAccess access, UnderFiles files, Readers readers, Metrics<LineageWorkerMetric> metrics) {
    this.access = access;
    this.files = files;
    this.readers = readers;
    this.metrics = metrics;
  }

  /**
   * Bytes of a file.
   *
   * @param fileLength of the whole file
   * @param bytes from 0 to the limit; until {@code released} is run
   * @param checksums of their units
   * @param released to be run once, on any thread
   */
  public record Bytes(long fileLength, ByteBuffer bytes, int[] checksums, Runnable released) {}

  /**
   * Reads bytes.
   *
   * @param offset in the file, a multiple of the unit
   * @param length how many, at most
   */
  public CompletableFuture<Bytes> read(long fid, long offset, int length) {
    CompletableFuture<Bytes> answer = new CompletableFuture<>();
    attempt(
        answer,
        () ->
            access
                .lookups()
                .execute(() -> attempt(answer, () -> findAndRead(fid, offset, length, answer))));
    return answer;
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void attempt(CompletableFuture<Bytes> answer, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
  }

  private void findAndRead(long fid, long offset, int length, CompletableFuture<Bytes> answer)
      throws IOException {
    Below file = files.find(fid);
    file.copy();
    long left = file.entry().getLength() - offset;
    if (offset < 0 || offset % BlockTail.UNIT != 0 || left < 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "%s has %d bytes and is read from whole units: offset=%d"
              .formatted(file, file.entry().getLength(), offset));
    }
    int wanted = (int) Math.min(LONGEST, Integer.toUnsignedLong(length));
    int count = (int) Math.min(BlockTail.units(wanted) * BlockTail.UNIT, left);
    access
        .pools()
        .calls(file.mount())
        .execute(() -> attempt(answer, () -> answer.complete(read(file, offset, count))));
  }

  /** Waits for the under store. */
  private Bytes read(Below file, long offset, int count) throws IOException {
    ByteBuffer buffer = take(file);
    boolean isRead = false;
    try {
      buffer.limit(count);
      readers.with(
          file,
          reader -> {
            fill(reader, offset, buffer.position(0));
            return null;
          });
      buffer.flip();
      metrics.add(LineageWorkerMetric.BELOW_READ_BYTES, count);
      Bytes bytes =
          new Bytes(
              file.entry().getLength(),
              buffer,
              BlockTail.checksums(buffer),
              () -> giveBack(buffer));
      isRead = true;
      return bytes;
    } finally {
      if (!isRead) {
        giveBack(buffer);
      }
    }
  }

  private static void fill(UnderReader reader, long offset, ByteBuffer into) throws IOException {
    reader.read(offset, into);
    if (into.hasRemaining()) {
      throw new UnderStoreException(
          Reason.CHANGED, "it ends at " + (offset + into.position()) + " now");
    }
    reader.requireUnchanged();
  }

  private ByteBuffer take(Below file) throws IOException {
    try {
      if (!buffers.tryAcquire(BUFFER_DEADLINE_MS, TimeUnit.MILLISECONDS)) {
        throw new RequestRefusedException(
            Status.BUSY,
            "%d readers are given bytes from below at this worker, as many as at once: read %s later"
                .formatted(BUFFERS, file));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRefusedException(Status.BUSY, "the worker ends");
    }
    synchronized (kept) {
      if (!kept.isEmpty()) {
        return kept.pop().clear();
      }
    }
    return ByteBuffer.allocateDirect(LONGEST);
  }

  private void giveBack(ByteBuffer buffer) {
    synchronized (kept) {
      if (kept.size() < BUFFERS_KEPT) {
        kept.push(buffer);
      }
    }
    buffers.release();
  }
}
