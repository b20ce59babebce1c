package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All entries of a directory, page by page. Entries that are made or removed meanwhile may be there
 * or not; others are there once. Holds one page. For one thread.
 */
public final class DirectoryListing {
  private final MetaClient meta;
  private final String path;
  private final long directory;
  private final int most;
  private DirectoryPage last = new DirectoryPage(List.of(), "", true);

  /**
   * @param directory its id
   * @param most entries of a page
   */
  public DirectoryListing(MetaClient meta, String path, long directory, int most) {
    this.meta = meta;
    this.path = path;
    this.directory = directory;
    this.most = most;
  }

  /** Whether there may be another page. */
  public boolean more() {
    return last.more();
  }

  /**
   * The next entries; may be none.
   *
   * @throws QfsException EAGAIN when all names of the page before are gone: list again from the
   *     start
   */
  public List<FileInfo> next() throws IOException {
    try {
      last = meta.list(path, directory, last.last(), most);
      return last.entries();
    } catch (QfsException e) {
      if (e.error() != QfsError.ENOENT || last.last().isEmpty()) {
        throw e;
      }
      return afterAnother(e);
    }
  }

  /** The name to go on after has been removed: goes on after one before it. */
  private List<FileInfo> afterAnother(QfsException gone) throws IOException {
    Set<String> given = new HashSet<>();
    last.entries().forEach(entry -> given.add(entry.name()));
    for (int i = last.entries().size() - 1; i >= 0; i--) {
      try {
        last = meta.list(path, directory, last.entries().get(i).name(), most);
        return last.entries().stream().filter(entry -> !given.contains(entry.name())).toList();
      } catch (QfsException e) {
        if (e.error() != QfsError.ENOENT) {
          throw e;
        }
      }
    }
    QfsException changed =
        new QfsException(
            -QfsError.EAGAIN.code(), "READDIRPLUS", path, "this side: it changed too much");
    changed.addSuppressed(gone);
    throw changed;
  }
}
