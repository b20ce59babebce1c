package dev.sailfish.web.source;

import java.util.List;

/**
 * A directory of the lineage store.
 *
 * @param items in the order of their names' bytes
 * @param more whether there are more than these
 */
public record StoreFiles(String path, List<Item> items, boolean more) {
  /**
   * A file or directory.
   *
   * @param mode as {@code rwxr-x---}
   * @param pinned null: not asked for
   * @param where workers that have blocks of it
   * @param state what its record says, {@code stored}, {@code below} or {@code lost} where there is
   *     none, {@code writing} while it is
   * @param progress of its recompute, for people, or null
   */
  public record Item(
      String name,
      boolean directory,
      long bytes,
      long modifiedMs,
      String owner,
      String group,
      String mode,
      Boolean pinned,
      List<String> where,
      String state,
      String progress) {}
}
