package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.FileTable.NONE;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Waiting files that are read often, those with most reads first, and of these the one with the
 * lowest FID: a binary heap of slots, in which each file knows its place. A step takes a time in
 * proportion to the logarithm of their number.
 */
final class HotFiles {
  private final FileTable files;
  private int[] heap = new int[16];
  private int size;

  HotFiles(FileTable files) {
    this.files = files;
  }

  /** The one that is read most, or {@link FileTable#NONE}. */
  int first() {
    return size == 0 ? NONE : heap[0];
  }

  /**
   * Shows all of them, the one that is read most first, the others in any order.
   *
   * @param visitor says whether it wants another one
   * @return whether it did to the end
   */
  boolean show(IntPredicate visitor) {
    for (int place = 0; place < size; place++) {
      if (!visitor.test(heap[place])) {
        return false;
      }
    }
    return true;
  }

  /** Adds a file, or takes note that it was read again. */
  void put(int slot) {
    int place = files.get(slot, FileTable.HEAP);
    if (place == NONE) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      place = size++;
    }
    rise(place, slot);
  }

  /** Takes a file out, if it is in. */
  void remove(int slot) {
    int place = files.get(slot, FileTable.HEAP);
    if (place == NONE) {
      return;
    }
    files.set(slot, FileTable.HEAP, NONE);
    int moved = heap[--size];
    if (moved != slot) {
      sink(place, moved);
      rise(files.get(moved, FileTable.HEAP), moved);
    }
  }

  private void rise(int from, int slot) {
    int place = from;
    while (place > 0 && precedes(slot, heap[(place - 1) / 2])) {
      set(place, heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    set(place, slot);
  }

  private void sink(int from, int slot) {
    int place = from;
    for (int child = firstChild(place); child < size; child = firstChild(place)) {
      if (!precedes(heap[child], slot)) {
        break;
      }
      set(place, heap[child]);
      place = child;
    }
    set(place, slot);
  }

  /** Of the two below a place, the one that precedes; at least the size if there is none. */
  private int firstChild(int place) {
    int child = 2 * place + 1;
    return child + 1 < size && precedes(heap[child + 1], heap[child]) ? child + 1 : child;
  }

  private void set(int place, int slot) {
    heap[place] = slot;
    files.set(slot, FileTable.HEAP, place);
  }

  private boolean precedes(int slot, int other) {
    int reads = files.get(slot, FileTable.READS);
    int otherReads = files.get(other, FileTable.READS);
    return reads != otherReads ? reads > otherReads : files.fid(slot) < files.fid(other);
  }
}
