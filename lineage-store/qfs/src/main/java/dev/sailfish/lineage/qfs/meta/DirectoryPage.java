package dev.sailfish.lineage.qfs.meta;

import java.util.List;

/**
 * Some entries of a directory, in the server's order. Immutable.
 *
 * @param entries without {@code .} and {@code ..}
 * @param last after which name the next page goes on
 * @param more whether there is a next page
 */
public record DirectoryPage(List<FileInfo> entries, String last, boolean more) {
  /** Copies. */
  public DirectoryPage {
    entries = List.copyOf(entries);
  }
}
