package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.recompute.Backoff;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files that could not be copied and mounts to which nothing can be, and until when they wait. */
final class Setbacks {
  private final Backoff backoff;
  private final Map<Long, Setback> files = new HashMap<>();
  private final Map<String, Setback> mounts = new TreeMap<>();

  /**
   * What failed, at least once.
   *
   * @param failures in a row
   * @param untilNs when it may be tried again
   * @param message of the last failure
   */
  record Setback(int failures, long untilNs, String message) {}

  Setbacks(Backoff backoff) {
    this.backoff = backoff;
  }

  void clear() {
    files.clear();
    mounts.clear();
  }

  /** A file could not be copied. */
  void failed(CheckpointPlace place, String message, boolean isOfMount, long nowNs) {
    files.put(place.fid(), next(files.get(place.fid()), message, nowNs));
    Setback ofMount = mounts.get(place.mount());
    boolean isOver = ofMount == null || nowNs - ofMount.untilNs >= 0;
    if (isOfMount && isOver) { // what was on its way together counts once
      mounts.put(place.mount(), next(ofMount, message, nowNs));
    }
  }

  private Setback next(Setback before, String message, long nowNs) {
    int failures = before == null ? 1 : before.failures + 1;
    return new Setback(failures, nowNs + backoff.waitNs(failures), message);
  }

  /** A file was copied. */
  void succeeded(CheckpointPlace place) {
    files.remove(place.fid());
    mounts.remove(place.mount());
  }

  /** Nobody will ever copy a file. */
  void forget(long fid) {
    files.remove(fid);
  }

  /** Forgets mounts that are there no more, and those that nobody has tried for long. */
  void keepMounts(Collection<String> known, long nowNs) {
    mounts.keySet().retainAll(known);
    mounts.values().removeIf(one -> nowNs - one.untilNs > 2 * backoff.longestNs());
  }

  Optional<Setback> ofFile(long fid) {
    return Optional.ofNullable(files.get(fid));
  }

  /** The last copy to a mount failed. */
  boolean isAiling(String mount) {
    return mounts.containsKey(mount);
  }

  /** By the paths of mounts; not to be changed. */
  Map<String, Setback> mounts() {
    return mounts;
  }

  /** How many files failed and have not been copied since. */
  int files() {
    return files.size();
  }

  /** When a file may be tried again; not later than now: at once. */
  long untilNs(CheckpointPlace place, long nowNs) {
    long untilNs = nowNs;
    for (Setback one : new Setback[] {files.get(place.fid()), mounts.get(place.mount())}) {
      if (one != null && one.untilNs - untilNs > 0) {
        untilNs = one.untilNs;
      }
    }
    return untilNs;
  }
}
