package dev.sailfish.lineage.client;

import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Blocks of a file that a worker is having come while the file is read. For one thread. */
final class LoadsAhead {
  private final Background background;
  private final Asking asking;
  private final Map<Integer, CompletableFuture<Loaded>> begun = new HashMap<>();

  /** Where a block is that was loaded. */
  record Loaded(WorkerAddress worker, int place) {}

  /** Has a worker load a block. */
  @FunctionalInterface
  interface Asking {
    /** Waits until the block is there; on any thread. */
    Loaded ask(int block) throws IOException;
  }

  LoadsAhead(Background background, Asking asking) {
    this.background = background;
    this.asking = asking;
  }

  /** Has a block loaded, once, if there is time for it. */
  void begin(int block) {
    if (begun.containsKey(block)) {
      return;
    }
    CompletableFuture<Loaded> loading = new CompletableFuture<>();
    boolean isOffered =
        background.offer(
            () -> {
              try {
                loading.complete(asking.ask(block));
              } catch (IOException | RuntimeException e) {
                loading.completeExceptionally(e);
              }
            },
            () -> loading.completeExceptionally(new IOException("the client is closed")));
    if (isOffered) {
      begun.put(block, loading);
    }
  }

  /** Forgets a block, and returns how it ends; null when it was not begun. */
  CompletableFuture<Loaded> take(int block) {
    return begun.remove(block);
  }

  /** Where a block is that was begun; null when it is not there, or not yet. */
  Loaded done(int block) {
    CompletableFuture<Loaded> loading = begun.get(block);
    boolean isThere = loading != null && loading.isDone() && !loading.isCompletedExceptionally();
    return isThere ? loading.join() : null;
  }
}
