package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.TemporaryName;
import dev.sailfish.lineage.understore.call.Caller;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One walk through a tree that removes what dead writers left. Used on threads of the calls, one
 * after the other. Memory: a page of entries for each directory from the first one down to where it
 * is.
 */
final class Sweep {
  private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

  private final HadoopMount mount;
  private final Duration age;
  private final Deque<RemoteIterator<FileStatus>> open = new ArrayDeque<>();
  private int removed;

  Sweep(HadoopMount mount, Duration age) {
    this.mount = mount;
    this.age = age;
  }

  int removed() {
    return removed;
  }

  /** Opens a directory; nothing happens when there is none. */
  void enter(FileSystem fileSystem, Path directory) throws IOException {
    try {
      open.push(fileSystem.listStatusIterator(directory));
    } catch (FileNotFoundException e) {
      LOG.debug("{} is gone", directory, e);
    }
  }

  /**
   * Goes on for a page of entries.
   *
   * @return whether there are more
   */
  boolean proceed(FileSystem fileSystem, Caller caller) throws IOException {
    for (int left = HadoopListing.PAGE; left > 0 && !open.isEmpty() && !caller.isGone(); left--) {
      RemoteIterator<FileStatus> entries = open.peek();
      if (entries.hasNext()) {
        look(fileSystem, entries.next());
      } else {
        open.pop();
      }
    }
    return !open.isEmpty();
  }

  private void look(FileSystem fileSystem, FileStatus entry) throws IOException {
    Path path = entry.getPath();
    if (entry.isDirectory()) {
      boolean link = Versions.isLocal(fileSystem) && Files.isSymbolicLink(Versions.local(path));
      if (!link) {
        enter(fileSystem, path);
      }
      return;
    }
    long oldMs = mount.clock().wallMs() - entry.getModificationTime();
    if (TemporaryName.parse(path.getName()).isPresent()
        && oldMs >= age.toMillis()
        && !mount.temporaries().contains(path)
        && fileSystem.delete(path, false)) {
      LOG.info("removed {}, which a writer left {} ms ago", path, oldMs);
      removed++;
    }
  }
}
