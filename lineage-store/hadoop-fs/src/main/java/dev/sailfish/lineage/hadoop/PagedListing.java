package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.NamespaceClient;
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
  private final NamespaceClient namespace;
  private final Path path;
  private final boolean isFile;
  private Iterator<FileEntry> page;
  private boolean more;
  private String last = "";

  /**
   * Asks for the first page.
   *
   * @param path with scheme and authority
   */
  PagedListing(NamespaceClient namespace, Path path) throws IOException {
    this.namespace = namespace;
    this.path = path;
    this.isFile = turn();
  }

  /** Turns to the next page, and says whether the path is a file. */
  private boolean turn() throws IOException {
    ListEntriesResponse response =
        Refusals.lookUp(path, () -> namespace.list(path.toUri().getPath(), last, 0));
    page = response.getEntriesList().iterator();
    more = response.getMore();
    return response.getFile();
  }

  @Override
  public boolean hasNext() throws IOException {
    while (!page.hasNext() && more) {
      turn();
    }
    return page.hasNext();
  }

  @Override
  public FileStatus next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("there is no more in " + path);
    }
    FileEntry entry = page.next();
    last = entry.getName();
    return isFile ? Statuses.of(entry, path) : Statuses.in(path, entry);
  }
}
