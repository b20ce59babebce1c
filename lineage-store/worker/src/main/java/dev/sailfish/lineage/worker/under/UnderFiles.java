package dev.sailfish.lineage.worker.under;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Where files are below, kept for some seconds. Waits for the master. Thread-safe. */
final class UnderFiles {
  private static final long KEPT_NS = TimeUnit.SECONDS.toNanos(3);
  private static final int MOST = 10_000;

  private final UnderAccess access;

  /** The oldest first. */
  private final Map<Long, Known> files = new LinkedHashMap<>();

  private record Known(Below file, long untilNs) {}

  UnderFiles(UnderAccess access) {
    this.access = access;
  }

  /** What is known of a file, or what the master says. */
  Below find(long fid) throws IOException {
    synchronized (this) {
      Known known = files.get(fid);
      if (known != null && known.untilNs - access.clock().nanoTime() > 0) {
        return known.file;
      }
    }
    return refresh(fid);
  }

  /** What the master says. */
  Below refresh(long fid) throws IOException {
    forget(fid);
    Below file = access.master().file(fid, false);
    synchronized (this) {
      files.remove(fid);
      files.put(fid, new Known(file, access.clock().nanoTime() + KEPT_NS));
      if (files.size() > MOST) {
        files.remove(files.keySet().iterator().next());
      }
    }
    return file;
  }

  /** The file below is another one: the master hears it. */
  void changed(long fid) throws IOException {
    forget(fid);
    access.master().file(fid, true);
  }

  private synchronized void forget(long fid) {
    files.remove(fid);
  }
}
