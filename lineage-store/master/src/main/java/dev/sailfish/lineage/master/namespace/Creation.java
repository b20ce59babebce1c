package dev.sailfish.lineage.master.namespace;

/**
 * A file that is to be written.
 *
 * @param mode its permissions, twelve bits; the caller has applied its umask
 * @param parentMode those of directories that are made for it, or {@link #NO_PARENTS}
 * @param blockSizeLog log2 of the size of its blocks
 * @param replace whether a file that is there already is to go
 * @param writer a number that names the one client that writes it
 */
public record Creation(int mode, int parentMode, int blockSizeLog, boolean replace, long writer) {
  /** In place of a mode: no directory may be missing. */
  public static final int NO_PARENTS = -1;

  /** Smallest block, log2: 64 KiB. */
  public static final int SMALLEST_BLOCK_LOG = 16;

  /** Largest block, log2: 1 GiB. */
  public static final int LARGEST_BLOCK_LOG = 30;
}
