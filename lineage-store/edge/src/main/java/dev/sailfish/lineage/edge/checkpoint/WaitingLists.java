package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.FileTable.NONE;

import java.util.function.IntPredicate;

/**
 * Files that wait for their checkpoint, in three lists: the edge that is being checkpointed, the
 * leaves that have appeared meanwhile, and the rest. Each step takes constant time.
 *
 * <p>An edge is all leaves of one moment (section 4.2 of the paper): a file stays in it when
 * something is made of it. When the last one is gone, the next edge takes its place.
 */
final class WaitingLists {
  private static final int SHIFT = 8;
  private static final int MASK = 0b11;

  /** In no list. */
  private static final int OUT = 0;

  private static final int REST = 3;
  private static final int LISTS = 4;

  private final FileTable files;
  private final int[] first = {NONE, NONE, NONE, NONE};
  private final int[] last = new int[LISTS];
  private final int[] sizes = new int[LISTS];
  private int edge = 1;
  private int nextEdge = 2;
  private long edges;

  WaitingLists(FileTable files) {
    this.files = files;
  }

  /** How many edges there have been, the present one included. */
  long edges() {
    return edges;
  }

  /** The first file of the edge; where that is empty, of the next one, which is the edge then. */
  int firstOfEdge() {
    if (first[edge] == NONE && first[nextEdge] != NONE) {
      int empty = edge;
      edge = nextEdge;
      nextEdge = empty;
      edges++;
    }
    return first[edge];
  }

  /** Some leaves wait. */
  boolean hasLeaves() {
    return first[edge] != NONE || first[nextEdge] != NONE;
  }

  /** How many leaves wait: of this edge and of the next one. */
  int leaves() {
    return sizes[edge] + sizes[nextEdge];
  }

  /** How many files of the present edge wait still. */
  int edgeSize() {
    return sizes[edge];
  }

  /**
   * Shows files in the order of the lists: the edge, the next one, the rest.
   *
   * @param visitor says whether it wants another one
   */
  void show(IntPredicate visitor) {
    for (int list : new int[] {edge, nextEdge, REST}) {
      for (int slot = first[list]; slot != NONE; slot = files.get(slot, FileTable.NEXT)) {
        if (!visitor.test(slot)) {
          return;
        }
      }
    }
  }

  int firstOfRest() {
    return first[REST];
  }

  boolean inEdge(int slot) {
    return list(slot) == edge;
  }

  boolean inRest(int slot) {
    return list(slot) == REST;
  }

  /** It is in the edge, or will be in the next one. */
  boolean isWithLeaves(int slot) {
    int list = list(slot);
    return list == edge || list == nextEdge;
  }

  /** Puts a file into the list of another one, before that. */
  void moveBefore(int place, int slot) {
    remove(slot);
    int list = list(place);
    int before = files.get(place, FileTable.PREVIOUS);
    if (before == NONE) {
      first[list] = slot;
    }
    link(before, slot);
    link(slot, place);
    setList(slot, list);
    sizes[list]++;
  }

  /** The first file of the edge from now on. */
  void putFirst(int slot) {
    remove(slot);
    prepend(edge, slot);
  }

  /** A leaf: it is in the edge, or will be in the next one. */
  void putWithLeaves(int slot) {
    int list = list(slot);
    if (list != edge && list != nextEdge) {
      remove(slot);
      append(nextEdge, slot);
    }
  }

  /** Not a leaf: it stays in the edge, or becomes the first of the rest. */
  void putWithRest(int slot) {
    int list = list(slot);
    if (list != edge && list != REST) {
      remove(slot);
      prepend(REST, slot);
    }
  }

  /** Neither: it stays in the edge if it is there. */
  void removeUnlessInEdge(int slot) {
    if (list(slot) != edge) {
      remove(slot);
    }
  }

  void remove(int slot) {
    int list = list(slot);
    if (list == OUT) {
      return;
    }
    int before = files.get(slot, FileTable.PREVIOUS);
    int after = files.get(slot, FileTable.NEXT);
    if (before == NONE) {
      first[list] = after;
    } else {
      files.set(before, FileTable.NEXT, after);
    }
    if (after == NONE) {
      last[list] = before;
    } else {
      files.set(after, FileTable.PREVIOUS, before);
    }
    setList(slot, OUT);
    sizes[list]--;
  }

  private void append(int list, int slot) {
    int before = first[list] == NONE ? NONE : last[list];
    link(before, slot);
    link(slot, NONE);
    if (before == NONE) {
      first[list] = slot;
    }
    last[list] = slot;
    setList(slot, list);
    sizes[list]++;
  }

  private void prepend(int list, int slot) {
    int after = first[list];
    link(NONE, slot);
    link(slot, after);
    if (after == NONE) {
      last[list] = slot;
    }
    first[list] = slot;
    setList(slot, list);
    sizes[list]++;
  }

  private void link(int before, int after) {
    if (before != NONE) {
      files.set(before, FileTable.NEXT, after);
    }
    if (after != NONE) {
      files.set(after, FileTable.PREVIOUS, before);
    }
  }

  private int list(int slot) {
    return files.get(slot, FileTable.STATE) >> SHIFT & MASK;
  }

  private void setList(int slot, int list) {
    int word = files.get(slot, FileTable.STATE);
    files.set(slot, FileTable.STATE, word & ~(MASK << SHIFT) | list << SHIFT);
  }
}
