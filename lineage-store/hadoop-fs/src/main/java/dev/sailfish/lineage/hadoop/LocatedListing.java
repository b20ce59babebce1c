package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.FileBlocks;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * A listing with the blocks of each file, which come with the page; only large files are asked for
 * one by one. For one thread.
 */
final class LocatedListing implements RemoteIterator<LocatedFileStatus> {
  private final FileSystem fs;
  private final PagedListing listing;
  private final PathFilter filter;
  private final Map<Long, FileBlocks> files = new HashMap<>();
  private final Map<Integer, WorkerAddress> workers = new HashMap<>();
  private ListEntriesResponse page;
  private LocatedFileStatus next;

  /**
   * @param fs is asked for the blocks of large files
   * @param listing of pages with places
   * @param filter of what is given
   */
  LocatedListing(FileSystem fs, PagedListing listing, PathFilter filter) {
    this.fs = fs;
    this.listing = listing;
    this.filter = filter;
  }

  @Override
  public boolean hasNext() throws IOException {
    while (next == null && listing.hasNext()) {
      FileStatus status = listing.next();
      if (filter.accept(status.getPath())) {
        next = new LocatedFileStatus(status, blocks(status));
      }
    }
    return next != null;
  }

  private BlockLocation[] blocks(FileStatus status) throws IOException {
    if (status.isDirectory()) {
      return null;
    }
    if (page != listing.page()) {
      page = listing.page();
      files.clear();
      workers.clear();
      page.getFilesList().forEach(file -> files.put(file.getFid(), file));
      page.getWorkersList().forEach(worker -> workers.put(worker.getNumber(), worker));
    }
    FileBlocks blocks = files.get(listing.last().getFid());
    return blocks == null
        ? fs.getFileBlockLocations(status, 0, status.getLen())
        : BlockHosts.of(listing.last(), blocks, workers);
  }

  @Override
  public LocatedFileStatus next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("there is no more");
    }
    LocatedFileStatus one = next;
    next = null;
    return one;
  }
}
