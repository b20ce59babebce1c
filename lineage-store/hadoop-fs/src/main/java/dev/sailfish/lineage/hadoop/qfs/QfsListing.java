package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.QfsClient;
import dev.sailfish.lineage.qfs.meta.DirectoryPage;
import dev.sailfish.lineage.qfs.meta.FileInfo;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * What is in a directory, in an order of the metaserver's own, asked for page by page; of a file,
 * itself. What is added or removed meanwhile may be given or not. For one thread.
 *
 * <p>A page begins behind a name. When that one has been removed meanwhile the metaserver does not
 * know where to go on, and is asked behind an earlier name of the page before; what has been given
 * of that page is passed over.
 */
final class QfsListing implements RemoteIterator<FileStatus> {
  private static final int PAGE = 1000;

  private final QfsClient client;
  private final QfsFileStatus listed;
  private final QfsNumbers numbers;
  private Iterator<FileInfo> entries;
  private String last = "";

  /** The names of the page, in its order. */
  private final Set<String> given = new LinkedHashSet<>();

  private boolean isMore;
  private QfsFileStatus itself;

  /**
   * Asks for the first page.
   *
   * @param listed a directory or a file
   */
  QfsListing(QfsClient client, QfsFileStatus listed, QfsNumbers numbers) throws IOException {
    this.client = client;
    this.listed = listed;
    this.numbers = numbers;
    this.entries = List.<FileInfo>of().iterator();
    if (listed.isDirectory()) {
      turn();
    } else {
      itself = listed;
    }
  }

  private void turn() throws IOException {
    Path path = listed.getPath();
    DirectoryPage page = QfsRefusals.lookUp(path, this::page);
    entries =
        page.entries().stream().filter(entry -> !given.contains(entry.name())).toList().iterator();
    given.clear();
    page.entries().forEach(entry -> given.add(entry.name()));
    last = page.last();
    isMore = page.more();
  }

  private DirectoryPage page() throws IOException {
    try {
      return after(last);
    } catch (QfsException e) {
      if (last.isEmpty() || e.error() != QfsError.ENOENT) {
        throw e;
      }
    }
    List<String> earlier = new ArrayList<>(given);
    Collections.reverse(earlier);
    for (String name : earlier) {
      try {
        return after(name);
      } catch (QfsException e) {
        if (e.error() != QfsError.ENOENT) {
          throw e;
        }
      }
    }
    throw new IOException(
        listed.getPath() + ": a whole page of it was removed while it was listed: list it again");
  }

  private DirectoryPage after(String name) throws IOException {
    return client.meta().list(listed.getPath().toUri().getPath(), name, PAGE);
  }

  @Override
  public boolean hasNext() throws IOException {
    while (!isOnPage() && isMore) {
      turn();
    }
    return isOnPage();
  }

  /** Whether the next one is there without another question. */
  boolean isOnPage() {
    return itself != null || entries.hasNext();
  }

  @Override
  public QfsFileStatus next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("there is no more in " + listed.getPath());
    }
    if (itself != null) {
      QfsFileStatus only = itself;
      itself = null;
      return only;
    }
    FileInfo entry = entries.next();
    Path path = below(entry.name());
    FileInfo whole = entry.size() == FileInfo.UNKNOWN ? sized(path, entry) : entry;
    return QfsFileStatus.of(whole, path, numbers);
  }

  /**
   * Of a file whose last chunk has just been written, its chunkservers know the length; of what is
   * in a directory that may not be searched, the metaserver refuses more than the name.
   */
  private FileInfo sized(Path path, FileInfo entry) throws IOException {
    try {
      return QfsRefusals.lookUp(path, () -> client.stat(path.toUri().getPath()));
    } catch (FileNotFoundException e) {
      return entry.withSize(0); // it has gone meanwhile
    }
  }

  private Path below(String name) {
    Path directory = listed.getPath();
    URI uri = directory.toUri();
    String above = directory.isRoot() ? "" : uri.getPath();
    // Not as a child's path, in which a colon ends a scheme.
    return new Path(uri.getScheme(), uri.getAuthority(), above + "/" + name);
  }
}
