package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Files that have no lineage record and are only in memory: nothing can make them again. They are
 * found by looking through all files, bit by bit and again after a while, and come in the order in
 * which they were modified last.
 */
final class UnrecordedFiles {
  private static final int LOOKED_AT_ONCE = 20_000;
  private static final int MOST = 100_000;
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(5);

  private final List<Found> found = new ArrayList<>();
  private Deque<Long> waiting = new ArrayDeque<>();
  private int next;
  private long resumeNs;
  private boolean pauses;

  private record Found(long fid, long modifiedMs) {}

  void clear() {
    found.clear();
    waiting.clear();
    next = 0;
    pauses = false;
  }

  /** Looks at some files; to be called often. */
  void step(Namespace namespace, long nowNs) {
    boolean isEarly = pauses && nowNs - resumeNs < 0;
    if (isEarly || !waiting.isEmpty() || namespace.mounted().mounts().isEmpty()) {
      return;
    }
    pauses = false;
    next =
        namespace.uses().holders().scan(next, LOOKED_AT_ONCE, file -> look(namespace, file.fid()));
    if (next == 0) {
      found.sort(Comparator.comparingLong(Found::modifiedMs).thenComparingLong(Found::fid));
      waiting = new ArrayDeque<>(found.stream().map(Found::fid).toList());
      found.clear();
      pauses = true;
      resumeNs = nowNs + PAUSE_NS;
    }
  }

  private void look(Namespace namespace, long fid) {
    boolean isWanted =
        found.size() < MOST
            && !namespace.lineage().graph().isOutput(fid)
            && CheckpointPlace.isThere(namespace, fid);
    if (isWanted) {
      try {
        FileInfo info = namespace.stat(fid);
        found.add(new Found(fid, info.modifiedMs()));
      } catch (NamespaceException e) {
        return; // it was deleted
      }
    }
  }

  /** Takes the next one. It may be there no more. */
  OptionalLong take() {
    return waiting.isEmpty() ? OptionalLong.empty() : OptionalLong.of(waiting.poll());
  }

  /** Files that were found and wait, the next one first; not to be changed. */
  Iterable<Long> waiting() {
    return waiting;
  }
}
