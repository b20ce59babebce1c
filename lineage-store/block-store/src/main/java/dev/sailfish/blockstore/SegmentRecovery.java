package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.SegmentFileName;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each owner the segments that an earlier store left in the directories, and removes what is
 * of no segment. Files of owners that are not in this process are counted and stay as they are.
 */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);

  /** A file that is a segment, or the copy of one. */
  private record Found(StoreDirectory directory, Path file, SegmentFileName name, long length) {}

  private final Map<String, Owner> owners;
  private final StoreFiles files;
  private final List<Found> copies = new ArrayList<>();
  private final Map<String, Integer> foreign = new TreeMap<>();

  SegmentRecovery(Map<String, Owner> owners, StoreFiles files) {
    this.owners = owners;
    this.files = files;
  }

  void recover(List<StoreDirectory> directories) throws IOException {
    for (StoreDirectory directory : directories) {
      try (DirectoryStream<Path> listing = Files.newDirectoryStream(directory.path())) {
        for (Path file : listing) {
          recover(directory, file);
        }
      }
    }
    for (Found copy : copies) {
      settle(copy);
    }
    owners.values().forEach(Owner::endRecovery);
    foreign.forEach(
        (owner, count) ->
            LOG.warn("segments={} of owner={}, who is not in this process, stay", count, owner));
  }

  private void recover(StoreDirectory directory, Path file) throws IOException {
    SegmentFileName name = SegmentFileName.parse(file.getFileName().toString());
    switch (name.kind()) {
      case LOCK -> {}
      case FREE -> files.delete(file);
      case FOREIGN -> LOG.warn("file={} is not of the block store: ignored", file);
      case OPEN, LENT, SEALED, SHARED, COPY -> recoverSegment(directory, file, name);
    }
  }

  private void recoverSegment(StoreDirectory directory, Path file, SegmentFileName name)
      throws IOException {
    boolean regular = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    long length = regular ? Files.size(file) : -1;
    Found found = new Found(directory, file, name, length);
    if (!regular || length > Segment.MAX_CAPACITY) {
      LOG.warn("file={} regular={} length={} is not a segment: ignored", file, regular, length);
    } else if (!owners.containsKey(name.owner())) {
      foreign.merge(name.owner(), 1, Integer::sum);
      directory.adoptForeign(length);
    } else if (name.kind() == SegmentFileName.Kind.COPY) {
      copies.add(found);
    } else {
      register(found);
    }
  }

  /** The sealed segment counts when there are both; its process died before it was given up. */
  private void settle(Found copy) throws IOException {
    SegmentFileName name = copy.name();
    Segment original = owners.get(name.owner()).find(name.segment()).orElse(null);
    if (original != null && original.damage().isEmpty()) {
      LOG.info("file={} is a copy of {}: deleted", copy.file(), original);
      files.delete(copy.file());
      return;
    }
    if (original != null) {
      original.delete();
    }
    SegmentFileName sealed = name.as(SegmentFileName.Kind.SEALED);
    Path file = copy.file().resolveSibling(sealed.fileName());
    files.rename(copy.file(), file);
    register(new Found(copy.directory(), file, sealed, copy.length()));
  }

  private void register(Found found) throws IOException {
    BackingFile file = new BackingFile(found.directory(), found.file(), found.length());
    try {
      if (!found.name().isOpen()) {
        // The store may have died between the rename and the cut.
        file.truncate(found.directory().pages(found.name().length()));
      }
      Owner owner = owners.get(found.name().owner());
      owner.register(Segment.found(owner, file, found.name()));
      found.directory().adopt(file, owner.name());
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }
}
