package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.TemporaryName;
import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderListing;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pages of a directory, as the file system hands its entries out. */
final class HadoopListing implements UnderListing {
  /** Entries of one page. */
  static final int PAGE = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(HadoopListing.class);

  private final HadoopUnderStore store;
  private final UnderPath directory;
  private RemoteIterator<FileStatus> entries;
  private boolean ended;
  private boolean broken;

  HadoopListing(HadoopUnderStore store, UnderPath directory) {
    this.store = store;
    this.directory = directory;
  }

  @Override
  public List<UnderFile> next() throws IOException {
    if (broken) {
      throw new UnderStoreException(
          Reason.INVALID, "listing " + store.place(directory) + " failed before: begin anew");
    }
    if (ended) {
      return List.of();
    }
    broken = true;
    List<UnderFile> page =
        store.call(
            "listing",
            directory,
            store.mount().deadline(),
            (fileSystem, caller) -> page(fileSystem),
            result -> {});
    broken = false;
    ended = page.isEmpty();
    return page;
  }

  private List<UnderFile> page(FileSystem fileSystem) throws IOException {
    if (entries == null) {
      entries = fileSystem.listStatusIterator(store.mount().at(directory));
    }
    List<UnderFile> page = new ArrayList<>();
    while (page.size() < PAGE && entries.hasNext()) {
      FileStatus entry = entries.next();
      requireOfDirectory(entry);
      add(fileSystem, entry, page);
    }
    return page;
  }

  /** A file is listed as its own only entry. */
  private void requireOfDirectory(FileStatus entry) throws UnderStoreException {
    Path self = store.mount().at(directory);
    if (entry.getPath().toUri().getPath().equals(self.toUri().getPath())) {
      throw new UnderStoreException(
          Reason.INVALID, "listing " + store.place(directory) + ": it is a file");
    }
  }

  private void add(FileSystem fileSystem, FileStatus entry, List<UnderFile> page)
      throws IOException {
    String name = entry.getPath().getName();
    if (TemporaryName.parse(name).isPresent()) {
      return;
    }
    try {
      UnderPath path = directory.child(name);
      LocalBounds.require(store.mount(), fileSystem, path);
      page.add(Versions.file(fileSystem, path, entry));
    } catch (UnderStoreException e) {
      LOG.warn("{} has an entry that is not shown: {}", store.place(directory), e.getMessage());
    } catch (NoSuchFileException e) {
      LOG.debug("{} of {} is gone", name, directory, e);
    }
  }

  @Override
  public void close() {
    if (!broken && entries instanceof Closeable open) {
      store.clearUp(
          directory,
          () ->
              store
                  .files()
                  .clearUp(
                      directory,
                      fileSystem -> {
                        open.close();
                        return null;
                      }));
    }
    entries = null;
    ended = true;
  }
}
