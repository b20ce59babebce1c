package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/** Files with a lineage record whose blocks, or whose copy below, are not what they were. */
final class Suspects {
  private final InodeTable inodes;
  private final DependencyGraph graph;
  private final Set<Long> fids = new LinkedHashSet<>();

  Suspects(InodeTable inodes, DependencyGraph graph) {
    this.inodes = inodes;
    this.graph = graph;
  }

  /** Something has changed; of a file without a record nothing is kept. */
  void add(int slot) {
    if (graph.size() > 0 && graph.isOutput(inodes.fid(slot))) {
      fids.add(inodes.fid(slot));
    }
  }

  /**
   * Has some looked at, in the order in which they came, and forgets them.
   *
   * @return whether there are more
   */
  boolean take(int limit, LongConsumer look) {
    for (int i = 0; i < limit && !fids.isEmpty(); i++) {
      Iterator<Long> first = fids.iterator();
      long fid = first.next();
      first.remove();
      look.accept(fid);
    }
    return !fids.isEmpty();
  }

  /** Writes { suspects:4 { fid:8 } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(fids.size());
    for (long fid : fids) {
      out.writeLong(fid);
    }
  }

  void read(DataInputStream in) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      fids.add(in.readLong());
    }
  }
}
