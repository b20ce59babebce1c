package dev.sailfish.benchmarks.store.failover;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sees when a master writes snapshots, by the file that has no name yet. For one thread. */
final class SnapshotWatch {
  private static final String UNFINISHED = ".new";

  private final MasterProcess master;
  private final List<Window> windows = new ArrayList<>();
  private long beganNs;
  private long bytes;

  /** A snapshot that was written. */
  record Window(long beganNs, long endedNs) {
    boolean overlaps(Load.Change change) {
      return change.acknowledgedNs() - beganNs > 0 && endedNs - change.askedNs() > 0;
    }

    long takenNs() {
      return endedNs - beganNs;
    }
  }

  SnapshotWatch(MasterProcess master) {
    this.master = master;
  }

  void look() throws IOException {
    Optional<Map<Path, Long>> seen = master.snapshots();
    if (seen.isEmpty()) {
      return;
    }
    boolean isWriting =
        seen.get().keySet().stream().anyMatch(file -> file.toString().endsWith(UNFINISHED));
    if (isWriting && beganNs == 0) {
      beganNs = System.nanoTime();
    } else if (!isWriting && beganNs != 0) {
      windows.add(new Window(beganNs, System.nanoTime()));
      beganNs = 0;
      seen.get().values().forEach(size -> bytes = Math.max(bytes, size));
    }
  }

  /** Those that were begun and completed since the watch began. */
  List<Window> windows() {
    return windows;
  }

  /** Size of the largest one. */
  long bytes() {
    return bytes;
  }
}
