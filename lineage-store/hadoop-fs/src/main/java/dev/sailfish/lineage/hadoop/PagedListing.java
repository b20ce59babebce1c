package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * What is in a directory, in the order of the names' bytes, asked for page by page; of a file,
 * itself. What is added or removed meanwhile may be given or not. For one thread.
 */
final class PagedListing implements RemoteIterator<FileStatus> {
  private final Pages pages;
  private final Path path;
  private ListEntriesResponse page;
  private Iterator<FileEntry> entries;
  private FileEntry last = FileEntry.getDefaultInstance();

  /** How pages are asked for. */
  @FunctionalInterface
  interface Pages {
    /**
     * @param after the last name of the page before; empty for the first page
     */
    ListEntriesResponse after(String after) throws IOException;
  }

  /**
   * Asks for the first page.
   *
   * @param path of what is listed, with scheme and authority
   */
  PagedListing(Path path, Pages pages) throws IOException {
    this.pages = pages;
    this.path = path;
    turn();
  }

  private void turn() throws IOException {
    page = Refusals.lookUp(path, () -> pages.after(last.getName()));
    entries = page.getEntriesList().iterator();
  }

  @Override
  public boolean hasNext() throws IOException {
    while (!entries.hasNext() && page.getMore()) {
      turn();
    }
    return entries.hasNext();
  }

  @Override
  public FileStatus next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("there is no more in " + path);
    }
    last = entries.next();
    return page.getFile() ? Statuses.of(last, path) : Statuses.in(path, last);
  }

  /** What the master knows of that which came last. */
  FileEntry last() {
    return last;
  }

  /** The page that it was on. */
  ListEntriesResponse page() {
    return page;
  }
}
