package dev.sailfish.web.source.store;

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
   * @param pinned by itself or by a directory above it
   * @param where workers that have blocks of it
   * @param state {@code writing}, {@code stored}, {@code checkpointing} while a worker copies it
   *     below, {@code below}, {@code lost}, {@code recomputing} while it is written again, {@code
   *     interrupted} where a recompute came to nothing, {@code directory}
   * @param progress of its recompute, or why it was given up, for people; null: it is not lost
   */
  public record Item(
      String name,
      boolean directory,
      long bytes,
      long modifiedMs,
      String owner,
      String group,
      String mode,
      boolean pinned,
      List<String> where,
      String state,
      String progress) {}
}
