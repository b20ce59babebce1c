package dev.sailfish.lineage.master.dependency;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A graph as it was when this was made; may be written by another thread. Written as
 *
 * <pre>
 *   last id:8   candidates:4 { id:8 }   waiting:4 { id:8 since:8 }
 *   dependencies:4 { as Dependency.write says }
 * </pre>
 */
public final class DependencyImage {
  private static final int PER_PAGE = 64;

  private final long last;
  private final List<Long> candidates;
  private final Map<Long, Long> waiting;
  private final Dependency[] all;
  private boolean hasHead;
  private int next;

  DependencyImage(long last, List<Long> candidates, Map<Long, Long> waiting, Dependency[] all) {
    this.last = last;
    this.candidates = candidates;
    this.waiting = waiting;
    this.all = all;
  }

  /** Writes the next piece, if there is one, and returns whether there is more. */
  public boolean writePage(DataOutputStream out) throws IOException {
    if (!hasHead) {
      hasHead = true;
      out.writeLong(last);
      out.writeInt(candidates.size());
      for (long id : candidates) {
        out.writeLong(id);
      }
      out.writeInt(waiting.size());
      for (Map.Entry<Long, Long> one : waiting.entrySet()) {
        out.writeLong(one.getKey());
        out.writeLong(one.getValue());
      }
      out.writeInt(all.length);
    }
    int end = Math.min(all.length, next + PER_PAGE);
    for (; next < end; next++) {
      all[next].write(out);
    }
    return next < all.length;
  }
}
