package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.CopyTable;
import dev.sailfish.lineage.master.table.InodeTable;
import java.util.Arrays;

/**
 * Finds the first row that says that a worker has a block. A file's rows are a chain, of up to a
 * million; where one file and worker are asked for again and again, as by a report of blocks, all
 * of the chain is looked at once.
 */
final class RowSearch {
  /** So often the chain is looked at for the block that is asked for alone. */
  private static final int FEW = 3;

  private final InodeTable inodes;
  private final CopyTable copies;

  // Of the file and the worker that were asked for last.
  private int slot = InodeTable.NONE;
  private int worker;
  private int asked;

  /** By block: its row and 1, or 0; null: asked for a few times only. */
  private int[] rows;

  RowSearch(InodeTable inodes, CopyTable copies) {
    this.inodes = inodes;
    this.copies = copies;
  }

  /** The first row of a block with a worker, or {@link CopyTable#NONE}. */
  int find(int ofSlot, int block, int ofWorker) {
    if (slot != ofSlot || worker != ofWorker) {
      slot = ofSlot;
      worker = ofWorker;
      asked = 0;
      rows = null;
    }
    if (asked < FEW) {
      asked++;
      return look(block);
    }
    rows = rows == null ? lookAtAll() : rows;
    return block >= 0 && block < rows.length ? rows[block] - 1 : CopyTable.NONE;
  }

  private int look(int block) {
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      if (copies.block(row) == block && Place.worker(copies.place(row)) == worker) {
        return row;
      }
    }
    return CopyTable.NONE;
  }

  private int[] lookAtAll() {
    int[] all = new int[1];
    for (int row = inodes.firstCopy(slot); row != CopyTable.NONE; row = copies.next(row)) {
      int block = copies.block(row);
      if (Place.worker(copies.place(row)) == worker) {
        all = withRoom(all, block);
        all[block] = all[block] == 0 ? row + 1 : all[block];
      }
    }
    return all;
  }

  private static int[] withRoom(int[] all, int block) {
    return block < all.length ? all : Arrays.copyOf(all, Math.max(block + 1, 2 * all.length));
  }

  /** A file has this row now, in which a block is that was not found. */
  void added(int ofSlot, int block, int ofWorker, int row) {
    if (rows != null && slot == ofSlot && worker == ofWorker) {
      rows = withRoom(rows, block);
      rows[block] = row + 1;
    }
  }

  /** A file has other rows than it had. */
  void changed(int ofSlot) {
    if (slot == ofSlot) {
      slot = InodeTable.NONE;
      rows = null;
    }
  }
}
