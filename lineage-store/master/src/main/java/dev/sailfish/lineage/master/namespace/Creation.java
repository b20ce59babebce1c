package dev.sailfish.lineage.master.namespace;

/**
 * A file that is to be written.
 *
 * @param mode its permissions, twelve bits; the caller has applied its umask
 * @param parentMode those of directories that have to be made for it, or -1: none may be missing
 * @param blockSizeLog log2 of the size of its blocks
 * @param replace whether a file that is there already is to go
 * @param writer a number that names whoever writes it, and only that one
 */
public record Creation(int mode, int parentMode, int blockSizeLog, boolean replace, long writer) {
  /** Smallest block, log2: 64 KiB. */
  public static final int SMALLEST_BLOCK_LOG = 16;

  /** Largest block, log2: 1 GiB. */
  public static final int LARGEST_BLOCK_LOG = 30;

  /** Refuses what no file can have. */
  public Creation {
    boolean isMode = isMode(mode) && (parentMode == -1 || isMode(parentMode));
    if (!isMode || blockSizeLog < SMALLEST_BLOCK_LOG || blockSizeLog > LARGEST_BLOCK_LOG) {
      throw new IllegalArgumentException(
          "mode=%o parentMode=%o blockSizeLog=%d".formatted(mode, parentMode, blockSizeLog));
    }
  }

  private static boolean isMode(int mode) {
    return (mode & ~07777) == 0;
  }
}
