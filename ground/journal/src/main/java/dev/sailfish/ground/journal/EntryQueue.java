package dev.sailfish.ground.journal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Entries that wait to be journaled. While {@value #IN_FLIGHT} batches are on their way, what comes
 * waits, and goes with all that has come meanwhile: an entry alone waits for nothing, and many
 * share what a transaction costs. Thread-safe; nobody waits here.
 */
final class EntryQueue {
  private static final int IN_FLIGHT = 2;

  /** Of a batch that has more than one entry. */
  private static final int BATCH_BYTES = 1 << 20;

  /** What may wait, with what is on its way. */
  private static final int MAX_ENTRIES = 8192;

  private static final long MAX_BYTES = 64L << 20;

  /** Sends a batch; is called by one thread at a time. */
  interface Sender {
    /**
     * Does not wait.
     *
     * @return the replies, one for each entry, or why there are none
     */
    CompletableFuture<List<byte[]>> send(List<byte[]> entries);
  }

  private record Waiting(byte[] entry, CompletableFuture<byte[]> reply) {}

  private final Sender sender;

  // Guarded by this object's monitor, in which nothing is called.
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private int entries;
  private long bytes;
  private int inFlight;
  private boolean sending;

  EntryQueue(Sender sender) {
    this.sender = sender;
  }

  /** Sends an entry as soon as it can; fails with BUSY when too much waits. */
  CompletableFuture<byte[]> submit(byte[] entry) {
    Waiting waiting = new Waiting(entry, new CompletableFuture<>());
    synchronized (this) {
      if (entries == MAX_ENTRIES || (entries > 0 && bytes + entry.length > MAX_BYTES)) {
        return CompletableFuture.failedFuture(
            new JournalException(
                JournalException.Reason.BUSY,
                "too many changes wait for the journal: entries=" + entries + " bytes=" + bytes));
      }
      queue.add(waiting);
      entries++;
      bytes += entry.length;
    }
    sendAll();
    return waiting.reply();
  }

  private void sendAll() {
    for (List<Waiting> batch = next(); batch != null; batch = next()) {
      List<Waiting> sent = batch;
      CompletableFuture<List<byte[]>> replies =
          sender.send(sent.stream().map(Waiting::entry).toList());
      synchronized (this) {
        sending = false;
      }
      replies.whenComplete((answers, error) -> answered(sent, answers, error));
    }
  }

  /** Takes the next batch out, or returns null when nothing may be sent by this thread now. */
  private synchronized List<Waiting> next() {
    if (sending || inFlight == IN_FLIGHT || queue.isEmpty()) {
      return null;
    }
    sending = true;
    inFlight++;
    List<Waiting> batch = new ArrayList<>();
    long left = BATCH_BYTES;
    do {
      batch.add(queue.remove());
      left -= batch.get(batch.size() - 1).entry().length + EntryBatch.ENTRY_OVERHEAD;
    } while (!queue.isEmpty() && queue.peek().entry().length < left);
    return batch;
  }

  private void answered(List<Waiting> batch, List<byte[]> answers, Throwable error) {
    synchronized (this) {
      inFlight--;
      entries -= batch.size();
      batch.forEach(waiting -> bytes -= waiting.entry().length);
    }
    sendAll();
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    for (int i = 0; i < batch.size(); i++) {
      CompletableFuture<byte[]> reply = batch.get(i).reply();
      if (cause == null) {
        reply.complete(answers.get(i));
      } else {
        reply.completeExceptionally(cause);
      }
    }
  }
}
