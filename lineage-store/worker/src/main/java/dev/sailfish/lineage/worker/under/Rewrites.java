package dev.sailfish.lineage.worker.under;

import dev.sailfish.lineage.protocol.wire.RewriteBlock;
import dev.sailfish.lineage.worker.block.BlockId;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Blocks of lost files that are written again: only the master knows which attempt writes the file,
 * and whether this worker's block is one that an earlier attempt has left. Thread-safe.
 */
public final class Rewrites {
  private final MasterCalls master;
  private final Executor lookups;

  Rewrites(MasterCalls master, Executor lookups) {
    this.master = master;
    this.lookups = lookups;
  }

  /**
   * Asks the master whether a block may be written here. Waits on another thread.
   *
   * @param place of this worker
   * @return done when it may, and what is here of it is of no use; fails with NOT_HELD when another
   *     attempt writes the file, with BUSY when too much is asked at once
   */
  public CompletableFuture<Void> permit(BlockId id, long attempt, int place) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    RewriteBlock asked =
        RewriteBlock.newBuilder()
            .setFid(id.fid())
            .setBlock(id.block())
            .setPlace(place)
            .setAttempt(attempt)
            .build();
    try {
      lookups.execute(() -> ask(asked, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
    return answer;
  }

  private void ask(RewriteBlock asked, CompletableFuture<Void> answer) {
    try {
      master.rewrite(asked);
      answer.complete(null);
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
  }
}
