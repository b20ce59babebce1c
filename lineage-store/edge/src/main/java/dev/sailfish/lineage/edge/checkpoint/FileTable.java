package dev.sailfish.lineage.edge.checkpoint;

import java.util.Arrays;

/**
 * Files by slot, without an object for any of them, and the slots by FID. A slot of a file that was
 * removed is used again.
 *
 * <pre>
 *   word 0, 1   FID, high and low half
 *   word 2      MAKER     row of the dependency that makes it, or NONE
 *   word 3      READERS   dependencies that read it, in the whole
 *   word 4      DONE      of these, those that are done and have outputs
 *   word 5      PENDING   of these, those with outputs that are not checkpointed
 *   word 6      READS     how often it was opened
 *   word 7      HEAP      its place among the hot files, or NONE
 *   word 8, 9   PREVIOUS and NEXT in its list, or NONE
 *   word 10     STATE     what LineageGraph, WaitingLists and EdgePolicy keep in a few bits each
 * </pre>
 */
final class FileTable {
  /** In place of a slot or a row: there is none. */
  static final int NONE = -1;

  static final int MAKER = 2;
  static final int READERS = 3;
  static final int DONE = 4;
  static final int PENDING = 5;
  static final int READS = 6;
  static final int HEAP = 7;
  static final int PREVIOUS = 8;
  static final int NEXT = 9;
  static final int STATE = 10;

  private static final int WORDS = 11;
  private static final int PAGE_BITS = 10;
  private static final int PAGE_SLOTS = 1 << PAGE_BITS;
  private static final int FIRST_INDEX = 1 << 4;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private int[][] pages = new int[1][];
  private int slots; // that were ever used
  private int firstFree = NONE; // chained by NEXT; READERS of a free slot is NONE
  private int size;
  private int[] index = emptyIndex(FIRST_INDEX); // slots, by open addressing

  /** How many files there are. */
  int size() {
    return size;
  }

  int get(int slot, int word) {
    return pages[slot >> PAGE_BITS][(slot & PAGE_SLOTS - 1) * WORDS + word];
  }

  void set(int slot, int word, int value) {
    pages[slot >> PAGE_BITS][(slot & PAGE_SLOTS - 1) * WORDS + word] = value;
  }

  void add(int slot, int word, int difference) {
    set(slot, word, get(slot, word) + difference);
  }

  long fid(int slot) {
    return (long) get(slot, 0) << Integer.SIZE | get(slot, 1) & 0xffff_ffffL;
  }

  /** Whether a file is in the slot. */
  boolean holds(int slot) {
    return get(slot, READERS) != NONE;
  }

  /** The file's slot, or {@link #NONE}. */
  int find(long fid) {
    return index[place(fid)];
  }

  /** Adds a file that is not in the table, with zeros, and without maker, list and place. */
  int add(long fid) {
    int slot = firstFree;
    if (slot == NONE) {
      slot = Math.addExact(slots, 1) - 1;
      makeRoom(slot >> PAGE_BITS);
      slots++;
    } else {
      firstFree = get(slot, NEXT);
    }
    set(slot, 0, (int) (fid >>> Integer.SIZE));
    set(slot, 1, (int) fid);
    for (int word = MAKER; word < WORDS; word++) {
      set(slot, word, 0);
    }
    for (int word : new int[] {MAKER, HEAP, PREVIOUS, NEXT}) {
      set(slot, word, NONE);
    }
    if (3L * ++size > 2L * index.length) {
      growIndex();
    }
    index[place(fid)] = slot;
    return slot;
  }

  private void makeRoom(int page) {
    if (page == pages.length) {
      pages = Arrays.copyOf(pages, 2 * page);
    }
    if (pages[page] == null) {
      pages[page] = new int[PAGE_SLOTS * WORDS];
    }
  }

  /** Removes a file; its slot is free. */
  void remove(int slot) {
    removeFromIndex(place(fid(slot)));
    set(slot, READERS, NONE);
    set(slot, NEXT, firstFree);
    firstFree = slot;
    size--;
  }

  /** Where in the index the file is, or belongs. */
  private int place(long fid) {
    int place = ideal(fid);
    while (index[place] != NONE && fid(index[place]) != fid) {
      place = place + 1 & index.length - 1;
    }
    return place;
  }

  private int ideal(long fid) {
    return (int) (fid * MIX >>> Integer.SIZE) & index.length - 1;
  }

  /** Moves back what follows, so that no search ends too early. */
  private void removeFromIndex(int removed) {
    int mask = index.length - 1;
    int hole = removed;
    for (int at = hole + 1 & mask; index[at] != NONE; at = at + 1 & mask) {
      int distance = at - ideal(fid(index[at])) & mask;
      if (distance >= (at - hole & mask)) {
        index[hole] = index[at];
        hole = at;
      }
    }
    index[hole] = NONE;
  }

  private void growIndex() {
    int[] before = index;
    index = emptyIndex(2 * before.length);
    for (int slot : before) {
      if (slot != NONE) {
        index[place(fid(slot))] = slot;
      }
    }
  }

  private static int[] emptyIndex(int length) {
    int[] empty = new int[length];
    Arrays.fill(empty, NONE);
    return empty;
  }
}
