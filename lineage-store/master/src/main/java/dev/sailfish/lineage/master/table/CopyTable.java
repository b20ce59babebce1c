package dev.sailfish.lineage.master.table;

import dev.sailfish.ground.journal.Freeze;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.function.IntFunction;

/**
 * Where copies of blocks are: a row for each copy of each block, the rows of a file in a chain that
 * begins in the {@link InodeTable}.
 *
 * <pre>
 *   word 0   next row of the file, or the next free one, or NONE
 *   word 1   which block of the file it is, from 0
 *   word 2   the place: number of a worker and a tier of it, above 0; 0: the row is free
 * </pre>
 *
 * <p>For one thread, but for an {@link Image}.
 */
public final class CopyTable {
  /** In place of a row: there is none. */
  public static final int NONE = InodeTable.NONE;

  private static final int WORDS = 3;
  private static final int NEXT = 0;
  private static final int BLOCK = 1;
  private static final int PLACE = 2;

  private final PagedArray<int[]> pages;
  private int rows; // that were ever used
  private int firstFree = NONE;
  private int used;

  /** An empty table. */
  public CopyTable(Freeze freeze) {
    pages = new PagedArray<>(freeze, () -> new int[PagedArray.ROWS * WORDS], int[]::clone);
  }

  /** How many copies there are. */
  public int size() {
    return used;
  }

  /**
   * Adds a copy at the beginning of a chain.
   *
   * @param first where the chain begins now, or {@link #NONE}
   * @param place above 0
   * @return where it begins from here on
   */
  public int add(int first, int block, int place) {
    int row = firstFree;
    if (row == NONE) {
      row = Math.addExact(rows, 1) - 1;
      pages.makeRoom(row);
      rows++;
    } else {
      firstFree = next(row);
    }
    used++;
    set(row, NEXT, first);
    set(row, BLOCK, block);
    set(row, PLACE, place);
    return row;
  }

  /**
   * Takes a row out of its chain.
   *
   * @param before the row before it, or {@link #NONE} if it is the first
   * @return the row behind it, which is the first now if it was
   */
  public int remove(int before, int row) {
    int next = next(row);
    if (before != NONE) {
      set(before, NEXT, next);
    }
    set(row, PLACE, 0);
    set(row, NEXT, firstFree);
    firstFree = row;
    used--;
    return next;
  }

  /** The row behind one, or {@link #NONE}. */
  public int next(int row) {
    return get(row, NEXT);
  }

  /** Which block of its file it is. */
  public int block(int row) {
    return get(row, BLOCK);
  }

  /** Where it is. */
  public int place(int row) {
    return get(row, PLACE);
  }

  /** Says where it is now. */
  public void setPlace(int row, int place) {
    set(row, PLACE, place);
  }

  private int get(int row, int word) {
    return pages.page(row)[PagedArray.index(row) * WORDS + word];
  }

  private void set(int row, int word, int value) {
    pages.mutable(row)[PagedArray.index(row) * WORDS + word] = value;
  }

  /** The table as it is now, until the freeze ends. */
  public Image image() {
    return new Image(pages.image(), rows, firstFree);
  }

  /**
   * A table as it was. Written as
   *
   * <pre>
   *   rows:4   first free row:4    { word:4 × 3 } × rows
   * </pre>
   */
  public static final class Image {
    private final IntFunction<int[]> pages;
    private final int rows;
    private final int firstFree;
    private int next;

    private Image(IntFunction<int[]> pages, int rows, int firstFree) {
      this.pages = pages;
      this.rows = rows;
      this.firstFree = firstFree;
    }

    /** Writes what stands before the pages. */
    public void writeHead(DataOutputStream out) throws IOException {
      out.writeInt(rows);
      out.writeInt(firstFree);
    }

    /** Writes the next page, if there is one, and returns whether there is more. */
    public boolean writePage(DataOutputStream out) throws IOException {
      int end = Math.min(rows, next + PagedArray.ROWS);
      for (; next < end; next++) {
        int[] page = pages.apply(next);
        for (int word = 0; word < WORDS; word++) {
          out.writeInt(page[PagedArray.index(next) * WORDS + word]);
        }
      }
      return next < rows;
    }
  }

  /**
   * Reads the head of what an {@link Image} wrote, and returns how many rows follow elsewhere.
   *
   * @throws IOException when that is damaged
   */
  public int readHead(DataInputStream in) throws IOException {
    int count = in.readInt();
    firstFree = in.readInt();
    if (count < 0 || firstFree >= count || firstFree < NONE) {
      throw new IOException(
          "table of copies is damaged: rows=%d firstFree=%d".formatted(count, firstFree));
    }
    return count;
  }

  /**
   * Reads the rows of what an {@link Image} wrote into this table, which must be empty.
   *
   * @throws IOException when they are damaged
   */
  public void readRows(DataInputStream in, int count) throws IOException {
    for (; rows < count; rows++) {
      pages.makeRoom(rows);
      for (int word = 0; word < WORDS; word++) {
        set(rows, word, in.readInt());
      }
      if (next(rows) < NONE || next(rows) >= count || place(rows) < 0) {
        throw new IOException(
            "table of copies is damaged: row=%d next=%d place=%d rows=%d"
                .formatted(rows, next(rows), place(rows), count));
      }
      used += place(rows) == 0 ? 0 : 1;
    }
  }
}
