package dev.sailfish.lineage.master.table;

/**
 * The id of a file or directory: it never changes, whatever the file is called, and no other file
 * ever has it. It says where the file is in the {@link InodeTable}, so that finding one costs no
 * map.
 *
 * <pre>
 *   63   62        32   31   30      0
 *   0    generation     0    slot          generation: how many files had the slot before, from 1
 * </pre>
 */
public final class Fid {
  /** The last generation: a slot that had it is never used again. */
  static final int LAST_GENERATION = Integer.MAX_VALUE;

  private Fid() {}

  /** The id of a file that is in this slot now. */
  public static long of(int generation, int slot) {
    return (long) generation << Integer.SIZE | slot;
  }

  /** The slot in the table of files. */
  public static int slot(long fid) {
    return (int) fid;
  }

  /** The way it is written for people: 16 hexadecimal digits. */
  public static String text(long fid) {
    return "%016x".formatted(fid);
  }
}
