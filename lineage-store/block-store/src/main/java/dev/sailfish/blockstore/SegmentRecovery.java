package dev.sailfish.blockstore;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers the segments that an earlier store left in the directories, and removes its pool. */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);

  private final BlockStore store;
  private final List<Segment> sealed = new ArrayList<>();
  private final List<Segment> unsealed = new ArrayList<>();
  private final List<DamagedSegmentException> damaged = new ArrayList<>();

  SegmentRecovery(BlockStore store) {
    this.store = store;
  }

  RecoveryReport recover() throws IOException {
    for (StoreDirectory directory : store.directories()) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.path())) {
        for (Path file : files) {
          recover(directory, file);
        }
      }
    }
    for (DamagedSegmentException damage : damaged) {
      LOG.warn("{}", damage.getMessage());
    }
    if (!sealed.isEmpty() || !unsealed.isEmpty()) {
      LOG.info("recovered segments sealed={} unsealed={}", sealed.size(), unsealed.size());
    }
    return new RecoveryReport(sealed, unsealed, damaged);
  }

  private void recover(StoreDirectory directory, Path file) throws IOException {
    SegmentFileName name = SegmentFileName.parse(file.getFileName().toString());
    switch (name.kind()) {
      case LOCK -> {}
      case FREE -> Files.delete(file);
      case FOREIGN -> LOG.warn("file={} is not of the block store: ignored", file);
      case OPEN, SEALED -> recoverSegment(directory, file, name);
    }
  }

  private void recoverSegment(StoreDirectory directory, Path file, SegmentFileName name)
      throws IOException {
    boolean regular = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    long length = regular ? Files.size(file) : -1;
    if (!regular || length > Segment.MAX_CAPACITY) {
      LOG.warn("file={} regular={} length={} is not a segment: ignored", file, regular, length);
      return;
    }
    BackingFile backing = BackingFile.existing(file, length);
    boolean registered = false;
    try {
      Segment segment = segment(directory, backing, name);
      store.register(segment, file);
      directory.adopt(backing);
      registered = true;
    } finally {
      if (!registered) {
        backing.close();
      }
    }
  }

  private Segment segment(StoreDirectory directory, BackingFile backing, SegmentFileName name)
      throws IOException {
    if (name.kind() == SegmentFileName.Kind.OPEN) {
      Segment segment = Segment.recoveredOpen(store, directory, backing, name.segment());
      unsealed.add(segment);
      return segment;
    }
    // The store may have died between the rename and the cut.
    backing.truncate(directory.pages(name.length()));
    Segment segment = Segment.recoveredSealed(store, directory, backing, name);
    if (segment.damage().isPresent()) {
      damaged.add(segment.damage().get());
    } else {
      sealed.add(segment);
    }
    return segment;
  }
}
