package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Begins files. A client that writes one after the other has a few ids kept by the masters: a file
 * is then announced under one of them, for which the leader asks no journal, and the one change
 * that completes it makes it, too. Where that is not possible, a change begins it. Thread-safe.
 */
final class Beginnings {
  /** Files that a client ends before ids are kept for it: most write one and are gone. */
  private static final int FILES_BEFORE = 2;

  /** How many ids the masters keep for one client, at most. */
  private static final int MOST_KEPT = 64;

  /** How many files are not announced after many could not be. */
  private static final int MOST_PASSED = 64;

  private final NamespaceClient namespace;
  private final FirstBlocks blocks;

  // Guarded by this object's monitor.
  private final Deque<Long> ids = new ArrayDeque<>();
  private int onTheirWay; // ids that were asked for
  private int open; // files that are begun and not ended
  private int ended;
  private int refused; // files in a row, doubled each time: so many are not announced next
  private int toPass;

  Beginnings(NamespaceClient namespace, FirstBlocks blocks) {
    this.namespace = namespace;
    this.blocks = blocks;
  }

  /** Begins a file. */
  WrittenFile create(CreateFile file) throws IOException {
    Long fid = take(file);
    if (fid != null) {
      CreateFile asked = file.toBuilder().setFid(fid).build();
      BlockAhead ahead = blocks.ahead(asked);
      WrittenFile announced = null;
      try {
        announced = announced(asked, namespace.announce(asked), ahead);
        return announced;
      } catch (IOException e) {
        if (!refused(fid, e)) {
          throw e;
        }
      } finally {
        if (announced == null && ahead != null) {
          ahead.close();
        }
      }
    }
    return begun(namespace.create(file));
  }

  /** The same, without a wait. */
  CompletableFuture<WrittenFile> createAsync(CreateFile file) {
    Long fid = take(file);
    if (fid == null) {
      return namespace.createAsync(file).thenApply(this::begun);
    }
    CreateFile asked = file.toBuilder().setFid(fid).build();
    return namespace
        .announceAsync(asked)
        .handle(
            (created, error) -> {
              if (error == null) {
                return CompletableFuture.completedFuture(announced(asked, created, null));
              }
              Throwable cause = error instanceof CompletionException ? error.getCause() : error;
              return refused(fid, cause)
                  ? namespace.createAsync(file).thenApply(this::begun)
                  : CompletableFuture.<WrittenFile>failedFuture(cause);
            })
        .thenCompose(result -> result);
  }

  /** An id for a file that might be announced, or null. */
  private synchronized Long take(CreateFile file) {
    boolean isBelow =
        file.getWriteMode() == WriteMode.WRITE_BYPASS
            || file.getWriteMode() == WriteMode.WRITE_THROUGH;
    if (isBelow || ids.isEmpty()) {
      return null;
    }
    if (toPass > 0) {
      toPass--;
      return null;
    }
    return ids.poll();
  }

  private synchronized WrittenFile announced(
      CreateFile asked, ChangeResponse created, BlockAhead ahead) {
    refused = 0;
    open++;
    return new NewFile(namespace, this, created, asked, ahead);
  }

  /** A change has begun a file. */
  synchronized WrittenFile begun(ChangeResponse created) {
    open++;
    return new NewFile(namespace, this, created, null, null);
  }

  /** Whether a change might begin the file that could not be announced. */
  private synchronized boolean refused(long fid, Throwable error) {
    if (!(error instanceof StoreRefusedException refusal)) {
      return false; // it may be announced all the same: the id is not used again
    }
    boolean isNotKept = refusal.reason() == Refusal.Reason.NOT_WRITING;
    boolean isMore = refusal.reason() == Refusal.Reason.NOT_ANNOUNCED;
    if (isNotKept) {
      ids.clear(); // the client was silent for its lease
    } else {
      ids.push(fid);
    }
    if (isMore) {
      refused = Math.min(MOST_PASSED, 2 * refused + 1);
      toPass = refused - 1;
    }
    return isNotKept || isMore;
  }

  /** A file ends: how many ids are to be asked for with the change that ends it. */
  synchronized int wanted() {
    ended = Math.min(ended + 1, FILES_BEFORE);
    int missing = Math.min(MOST_KEPT, open + 1) - ids.size() - onTheirWay;
    int wanted = ended < FILES_BEFORE ? 0 : Math.max(0, missing);
    onTheirWay += wanted;
    return wanted;
  }

  /**
   * The change that ends a file has an answer, or has failed.
   *
   * @param kept ids that are kept from now on
   * @param isFirst whether it is the first change that is to end the file
   */
  synchronized void ended(int wanted, List<Long> kept, boolean isFirst) {
    onTheirWay -= wanted;
    open -= isFirst ? 1 : 0;
    ids.addAll(kept);
  }
}
