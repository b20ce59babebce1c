package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.BlockPlaces.Opened;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The way to blocks of a file that were left before they were read to the end: who reads here and
 * there comes back to them. Only files on this host are kept open; what a worker deletes meanwhile
 * keeps its memory until then. For one thread.
 */
final class KeptReaders {
  /** The one that rests longest is closed when there are more. */
  static final int MOST = 16;

  private final Map<Integer, Opened> kept = new LinkedHashMap<>();

  /** The reader of a block, which is the caller's; null if none is kept. */
  Opened take(int block) {
    return kept.remove(block);
  }

  /** A block is left: its reader is this object's now, or closed. */
  void keep(Opened left) {
    if (!left.reader().rest()) {
      left.reader().close();
      return;
    }
    kept.put(left.block(), left);
    if (kept.size() > MOST) {
      Iterator<Opened> longest = kept.values().iterator();
      longest.next().reader().close();
      longest.remove();
    }
  }

  /** Closes them all. */
  void clear() {
    kept.values().forEach(opened -> opened.reader().close());
    kept.clear();
  }
}
