package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open files below; a few are kept open for some seconds, because what is read in pieces comes
 * back. Waits for under stores. Thread-safe.
 */
final class Readers {
  private static final Logger LOG = LoggerFactory.getLogger(Readers.class);
  private static final long KEPT_NS = TimeUnit.SECONDS.toNanos(3);
  private static final int MOST_KEPT = 16;

  /** Of the files that a mount may have open, those kept may be one out of so many. */
  private static final int SHARE = 4;

  private static final int ATTEMPTS = 2;

  private final UnderAccess access;
  private final UnderFiles files;
  private final List<Reading> idle = new ArrayList<>();

  Readers(UnderAccess access, UnderFiles files) {
    this.access = access;
    this.files = files;
  }

  /** A file that is open. */
  private static final class Reading {
    private final Below file;
    private final UnderStores.Use use;
    private final UnderReader reader;
    private long untilNs;

    Reading(Below file, UnderStores.Use use, UnderReader reader) {
      this.file = file;
      this.use = use;
      this.reader = reader;
    }

    void close() {
      reader.close();
      use.close();
    }
  }

  /** What is done with an open file; may be done twice. */
  @FunctionalInterface
  interface Work<T> {
    T with(UnderReader reader) throws IOException;
  }

  /**
   * Does something with a file. If it is another one than was recorded, it is looked whether the
   * master knows more; if not, the master hears it.
   *
   * @throws RequestRefusedException CONFLICT when the file below is not the one that was recorded
   */
  <T> T with(Below file, Work<T> work) throws IOException {
    Below known = file;
    for (int attempt = 1; ; attempt++) {
      try {
        return once(known, work);
      } catch (UnderStoreException e) {
        if (!Failures.isChange(e)) {
          throw e;
        }
        Below now = attempt < ATTEMPTS ? files.refresh(file.fid()) : known;
        if (now.equals(known)) {
          throw changed(file, e);
        }
        known = now;
      }
    }
  }

  private RequestRefusedException changed(Below file, UnderStoreException cause) {
    try {
      files.changed(file.fid());
    } catch (IOException e) {
      LOG.debug("the master does not hear that {} has changed below", file, e);
    }
    return new RequestRefusedException(
        Status.CONFLICT,
        "%s was changed below by somebody else and has to be opened again: %s"
            .formatted(file, cause.getMessage()));
  }

  private <T> T once(Below file, Work<T> work) throws IOException {
    Reading reading = take(file);
    boolean isGood = false;
    try {
      T result = work.with(reading.reader);
      isGood = true;
      return result;
    } finally {
      if (!isGood || !isKept(reading)) {
        reading.close();
      }
    }
  }

  private Reading take(Below file) throws IOException {
    synchronized (this) {
      for (Iterator<Reading> all = idle.iterator(); all.hasNext(); ) {
        Reading kept = all.next();
        if (kept.file.equals(file)) {
          all.remove();
          return kept;
        }
      }
    }
    try {
      return open(file);
    } catch (UnderStoreException e) {
      List<Reading> others = removed(kept -> kept.file.mount().equals(file.mount()));
      if (e.reason() != Reason.BUSY || others.isEmpty()) {
        others.forEach(Reading::close);
        throw e;
      }
      others.forEach(Reading::close);
      return open(file);
    }
  }

  private Reading open(Below file) throws IOException {
    UnderStores.Use use = access.stores().use(file.mount(), file.owner());
    UnderReader reader = null;
    try {
      reader = use.store().open(file.copy());
      return new Reading(file, use, reader);
    } finally {
      if (reader == null) {
        use.close();
      }
    }
  }

  private synchronized boolean isKept(Reading reading) {
    Mount mount = reading.file.mount();
    long ofMount = idle.stream().filter(kept -> kept.file.mount().equals(mount)).count();
    boolean isKept =
        idle.size() < MOST_KEPT && ofMount < Math.max(1, mount.get(MountKey.STREAMS) / SHARE);
    if (isKept) {
      reading.untilNs = access.clock().nanoTime() + KEPT_NS;
      idle.add(reading);
    }
    return isKept;
  }

  private synchronized List<Reading> removed(Predicate<Reading> which) {
    List<Reading> removed = idle.stream().filter(which).toList();
    idle.removeAll(removed);
    return removed;
  }

  /** Closes those that nobody has used for some time; to be called about each second. */
  void tick() {
    long nowNs = access.clock().nanoTime();
    for (Reading old : removed(kept -> nowNs - kept.untilNs >= 0)) {
      try {
        access.pools().calls(old.file.mount()).execute(old::close);
      } catch (RejectedExecutionException e) {
        putBack(old); // until there is time for it
      }
    }
  }

  private synchronized void putBack(Reading old) {
    idle.add(old);
  }
}
