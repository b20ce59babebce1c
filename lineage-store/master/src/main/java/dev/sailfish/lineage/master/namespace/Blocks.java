package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.CopyTable;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/** Which workers have copies of which blocks. What a worker held that is gone counts no more. */
final class Blocks {
  private static final int NO_SWEEP = -1;

  private final InodeTable inodes;
  private final CopyTable copies;
  private final Suspects suspects;
  private final RowSearch search;
  private final Workers workers = new Workers();

  // Takes rows of workers that are gone out of the table, bit by bit.
  private Set<Integer> swept = Set.of();
  private int sweepAt = NO_SWEEP;

  Blocks(InodeTable inodes, Freeze freeze, Suspects suspects) {
    this.inodes = inodes;
    this.suspects = suspects;
    this.copies = new CopyTable(freeze);
    this.search = new RowSearch(inodes, copies);
  }

  Workers workers() {
    return workers;
  }

  /** How many copies there are, those too that are still said to be with workers that are gone. */
  int size() {
    return copies.size();
  }

  /** A worker has this block; one that it had before may be in another tier now. */
  void add(int slot, int block, int place) {
    suspects.add(slot);
    int worker = Place.worker(place);
    int row = search.find(slot, block, worker);
    if (row != CopyTable.NONE) {
      copies.setPlace(row, place);
    } else {
      search.added(slot, block, worker, append(slot, block, place));
    }
  }

  private int append(int slot, int block, int place) {
    int row = copies.add(inodes.firstCopy(slot), block, place);
    inodes.setFirstCopy(slot, row);
    return row;
  }

  /**
   * A file has been written.
   *
   * @param places where each of its blocks is; what is with workers that are gone does not count
   */
  void addAll(int slot, int[] places) {
    int[] rows = rows(slot, places);
    for (int block = 0; block < places.length; block++) {
      if (workers.isLive(Place.worker(places[block]))) {
        suspects.add(slot);
        if (rows[block] != CopyTable.NONE) {
          copies.setPlace(rows[block], places[block]);
        } else {
          append(slot, block, places[block]);
        }
      }
    }
    search.changed(slot);
  }

  /** By block: the first row that says that it is with the worker of its place, or NONE. */
  private int[] rows(int slot, int[] places) {
    int[] rows = new int[places.length];
    Arrays.fill(rows, CopyTable.NONE);
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      int block = copies.block(row);
      boolean isSame =
          block < places.length && Place.worker(places[block]) == Place.worker(copies.place(row));
      if (isSame && rows[block] == CopyTable.NONE) {
        rows[block] = row;
      }
    }
    return rows;
  }

  /** A worker has this block no more. */
  void remove(int slot, int block, int worker) {
    suspects.add(slot);
    removeIf(
        slot,
        row -> copies.block(row) == block && Place.worker(copies.place(row)) == worker,
        gone -> {});
  }

  /**
   * Forgets all copies of a file.
   *
   * @param holder told each worker that lives and has some
   */
  void removeAll(int slot, IntConsumer holder) {
    Set<Integer> told = new HashSet<>();
    removeIf(
        slot,
        row -> true,
        worker -> {
          if (workers.isLive(worker) && told.add(worker)) {
            holder.accept(worker);
          }
        });
  }

  private void removeIf(int slot, IntPredicate row, IntConsumer worker) {
    search.changed(slot);
    int before = CopyTable.NONE;
    int at = inodes.firstCopy(slot);
    while (at != CopyTable.NONE) {
      if (!row.test(at)) {
        before = at;
        at = copies.next(at);
        continue;
      }
      worker.accept(Place.worker(copies.place(at)));
      at = copies.remove(before, at);
      if (before == CopyTable.NONE) {
        inodes.setFirstCopy(slot, at);
      }
    }
  }

  /**
   * The first block without a copy with a worker that lives; if each has one, how many there are.
   *
   * @param places where each block is besides
   */
  int firstMissing(int slot, int[] places) {
    BitSet there = there(slot);
    int first = 0;
    while (first < places.length
        && (there.get(first) || workers.isLive(Place.worker(places[first])))) {
      first++;
    }
    return first;
  }

  /** The blocks of which a worker that lives has a copy. */
  private BitSet there(int slot) {
    BitSet there = new BitSet();
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      if (workers.isLive(Place.worker(copies.place(row)))) {
        there.set(copies.block(row));
      }
    }
    return there;
  }

  /** Whether workers that live have all blocks of a complete file. */
  boolean isWhole(int slot) {
    long blockSize = 1L << inodes.blockSizeLog(slot);
    long count = (inodes.length(slot) + blockSize - 1) / blockSize;
    return there(slot).nextClearBit(0) >= count;
  }

  void requireNothingMissing(int slot, int[] places) throws NamespaceException {
    int missing = firstMissing(slot, places);
    if (missing < places.length) {
      throw new NamespaceException(
          Reason.LOST,
          "block %d of fid=%s is gone with worker %d: write the file again"
              .formatted(missing, Fid.text(inodes.fid(slot)), Place.worker(places[missing])));
    }
  }

  /** Whether a worker that lives has a block. */
  boolean isWith(int slot, int block, int worker) {
    return workers.isLive(worker) && search.find(slot, block, worker) != CopyTable.NONE;
  }

  /** Workers that live and have blocks of a file; a copy. */
  Set<Integer> holders(int slot) {
    Set<Integer> holders = new TreeSet<>();
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      if (workers.isLive(Place.worker(copies.place(row)))) {
        holders.add(Place.worker(copies.place(row)));
      }
    }
    return holders;
  }

  /**
   * Where blocks are, in their order; one that is nowhere is left out.
   *
   * @param first the first block that is asked for
   * @param limit how many blocks are, at most
   */
  List<BlockCopies> of(int slot, int first, int limit) {
    Map<Integer, List<Integer>> places = new TreeMap<>();
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      int block = copies.block(row);
      boolean isAsked = block >= first && block - (long) first < limit;
      if (isAsked && workers.isLive(Place.worker(copies.place(row)))) {
        places.computeIfAbsent(block, number -> new ArrayList<>()).add(copies.place(row));
      }
    }
    List<BlockCopies> blocks = new ArrayList<>(places.size());
    places.forEach((block, all) -> blocks.add(new BlockCopies(block, fastestFirst(all))));
    return blocks;
  }

  private static int[] fastestFirst(List<Integer> places) {
    return places.stream()
        .sorted(Comparator.<Integer>comparingInt(Place::tier).thenComparingInt(place -> place))
        .mapToInt(place -> place)
        .toArray();
  }

  /**
   * Takes some of what names workers that are gone out of the table.
   *
   * @param limit of how many files, at most
   * @return whether there is more
   */
  boolean sweep(int limit) {
    if (sweepAt == NO_SWEEP) {
      swept = new TreeSet<>(workers.gone());
      if (swept.isEmpty()) {
        return false;
      }
      sweepAt = 0;
    }
    int end = (int) Math.min(inodes.slots(), (long) sweepAt + limit);
    for (; sweepAt < end; sweepAt++) {
      removeIf(sweepAt, row -> swept.contains(Place.worker(copies.place(row))), gone -> {});
    }
    if (sweepAt == inodes.slots()) {
      workers.forget(swept);
      sweepAt = NO_SWEEP;
    }
    return sweepAt != NO_SWEEP || !workers.gone().isEmpty();
  }

  CopyTable.Image image() {
    return copies.image();
  }

  /** Writes { workers, as Workers.write says sweep at:4 swept:4 { number:4 } }. */
  void writeHead(DataOutputStream out) throws IOException {
    workers.write(out);
    out.writeInt(sweepAt);
    out.writeInt(swept.size());
    for (int number : swept) {
      out.writeInt(number);
    }
  }

  void readHead(DataInputStream in) throws IOException {
    workers.read(in);
    sweepAt = in.readInt();
    Set<Integer> numbers = new TreeSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      numbers.add(in.readInt());
    }
    swept = numbers;
  }

  /** The table itself, to be read from an image. */
  CopyTable table() {
    return copies;
  }
}
