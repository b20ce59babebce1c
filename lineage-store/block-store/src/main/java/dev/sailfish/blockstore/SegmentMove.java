package dev.sailfish.blockstore;

import dev.sailfish.blockstore.file.SegmentFileName;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One move of a sealed segment to another tier; used once, by one thread.
 *
 * <pre>
 *    in its tier                  in the other                       a crash then leaves
 *    NAME+seal                    +free-N      content is written    the original
 *    NAME+seal                    NAME+copy    whole, and synced     the original
 *    +free-M                      NAME+copy                          the copy
 *    +free-M, later nothing       NAME+seal                          the copy
 * </pre>
 *
 * <p>Names are synced after each of the two renames that count, so that also a power failure finds
 * them in this order. Readers of the original go on there until they are done.
 */
final class SegmentMove {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentMove.class);

  private final Segment original;
  private final Tier target;

  SegmentMove(Segment original, Tier target) {
    this.original = original;
    this.target = target;
  }

  /**
   * Moves it.
   *
   * @return the segment in its new place; null when it may not move, see {@link Owner#move}
   */
  Segment run(DirectoryChoice placement) throws IOException {
    if (!begin()) {
      return null;
    }
    BackingFile file = null;
    boolean done = false;
    try {
      file = placement.create(request(), tier -> tier == target);
      Segment copy = copyTo(file);
      done = switchTo(copy);
      return done ? copy : null;
    } finally {
      end(done ? null : file);
    }
  }

  private boolean begin() {
    synchronized (original.lock) {
      boolean may = original.state() == SegmentState.SEALED && target != original.tier();
      if (!may || isHeldBack()) {
        return false;
      }
      original.transition(SegmentState.MOVING);
      original.retain();
      return true;
    }
  }

  private boolean isHeldBack() {
    return original.isPinned() && target.isBelow(original.tier());
  }

  private DirectoryChoice.Request request() {
    long length = Math.max(1, original.length());
    return new DirectoryChoice.Request(
        original.owner.name(), BackingFile.nextFreeName(), original.name(), length, length, false);
  }

  /** Nothing of it counts yet. */
  private Segment copyTo(BackingFile file) throws IOException {
    file.write(original.buffer());
    file.directory.shrink(file, original.length());
    try {
      file.requireIntact(original.fileName());
    } catch (DamagedSegmentException e) {
      original.verify(); // what is damaged is the original, mostly
      throw e;
    }
    file.directory.sync(file);
    return original.copied(file);
  }

  /** Returns false, with nothing changed, when it was deleted or pinned meanwhile. */
  private boolean switchTo(Segment copy) throws IOException {
    synchronized (original.lock) {
      if (original.state() != SegmentState.MOVING || isHeldBack()) {
        return false;
      }
      copy.file.rename(copy.fileName().as(SegmentFileName.Kind.COPY).fileName());
      copy.file.directory.syncNames();
      original.file.markFree();
      try {
        original.file.directory.syncNames();
        copy.file.rename(copy.fileName().fileName());
      } catch (IOException e) {
        LOG.warn("{} file={} keeps this name: {}", copy, copy.file.path(), e.toString());
      }
      original.owner.replace(original, copy);
      original.transition(SegmentState.MOVED);
    }
    original.release();
    return true;
  }

  private void end(BackingFile failed) {
    synchronized (original.lock) {
      if (original.state() == SegmentState.MOVING) {
        original.transition(SegmentState.SEALED);
      }
    }
    original.release();
    try {
      if (failed != null) {
        failed.directory.free(failed);
      }
    } catch (IOException e) {
      LOG.warn("file={} of a failed move stays: {}", failed.path(), e.toString());
    }
  }
}
