package dev.sailfish.lineage.qfs.meta;

/**
 * How a file is made. Immutable.
 *
 * @param replication copies of each chunk, 1..64
 * @param mode permissions, nine bits
 * @param overwrite takes the place of a file of that name; otherwise such a file is an error
 */
public record CreateOptions(int replication, int mode, boolean overwrite) {
  /** Three copies, rw-r--r--, no overwriting. */
  public static final CreateOptions DEFAULTS = new CreateOptions(3, 0644, false);

  private static final int MOST_COPIES = 64;

  /** Checks. */
  public CreateOptions {
    if (replication < 1 || replication > MOST_COPIES) {
      throw new IllegalArgumentException(
          "replication=%s is not in 1..%s".formatted(replication, MOST_COPIES));
    }
  }
}
