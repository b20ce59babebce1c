package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Tier;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Blocks that come here, from below or from other workers; who asks for one that is on its way
 * waits for the same. Thread-safe.
 */
public final class Arrivals {
  private final BlockTable blocks;
  private final Map<BlockId, CompletableFuture<Tier>> running = new ConcurrentHashMap<>();

  /** Nothing is on its way yet. */
  public Arrivals(BlockTable blocks) {
    this.blocks = blocks;
  }

  /**
   * Has a block here.
   *
   * @param begin has the block come if it is neither here nor on its way, and completes its
   *     argument; on the caller's thread
   * @return the tier that the block is in
   */
  public CompletableFuture<Tier> of(BlockId id, Consumer<CompletableFuture<Tier>> begin) {
    Tier here = blocks.sealedTier(id);
    if (here != null) {
      return CompletableFuture.completedFuture(here);
    }
    CompletableFuture<Tier> answer = new CompletableFuture<>();
    CompletableFuture<Tier> known = running.putIfAbsent(id, answer);
    if (known != null) {
      return known;
    }
    answer.whenComplete((tier, failure) -> running.remove(id, answer));
    begin.accept(answer);
    return answer;
  }
}
