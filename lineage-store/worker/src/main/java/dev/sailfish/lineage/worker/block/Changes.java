package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Tier;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What has become of sealed blocks that the master has not heard yet: only the last word on each
 * counts. Thread-safe.
 */
public final class Changes {
  /** In place of a tier: the worker has the block no more. */
  public static final int GONE = 3;

  private final Map<BlockId, Integer> changes = new LinkedHashMap<>();

  /** The block is in this tier. */
  void held(BlockId id, Tier tier) {
    add(id, tier.ordinal());
  }

  /** The block is not here any more. */
  void gone(BlockId id) {
    add(id, GONE);
  }

  private synchronized void add(BlockId id, int tier) {
    changes.put(id, tier);
  }

  /** Takes some, the oldest first. */
  public synchronized Map<BlockId, Integer> take(int limit) {
    Map<BlockId, Integer> taken = new LinkedHashMap<>();
    var oldest = changes.entrySet().iterator();
    while (oldest.hasNext() && taken.size() < limit) {
      Map.Entry<BlockId, Integer> change = oldest.next();
      taken.put(change.getKey(), change.getValue());
      oldest.remove();
    }
    return taken;
  }

  /** The master has not heard these: they come again, unless there is a newer word. */
  public synchronized void putBack(Map<BlockId, Integer> unheard) {
    unheard.forEach(changes::putIfAbsent);
  }

  /** Forgets all: the master is going to hear everything. */
  public synchronized void clear() {
    changes.clear();
  }
}
