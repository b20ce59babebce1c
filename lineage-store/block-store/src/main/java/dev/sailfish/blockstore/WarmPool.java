package dev.sailfish.blockstore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** The files that wait for reuse with their pages; guarded by the directory's monitor. */
final class WarmPool {
  private static final Comparator<BackingFile> BY_WARMTH =
      Comparator.comparingLong(file -> file.warm);

  /** Bounds the descriptors and mappings that it keeps. */
  private static final int MAX_FILES = 1024;

  private final List<BackingFile> files = new ArrayList<>();

  int size() {
    return files.size();
  }

  /** Returns the file that must go for it, the coldest, or null. */
  BackingFile add(BackingFile file) {
    files.add(file);
    return files.size() > MAX_FILES ? coldest() : null;
  }

  void remove(BackingFile file) {
    files.remove(file);
  }

  /** Null when it is empty. */
  BackingFile coldest() {
    return files.isEmpty() ? null : Collections.min(files, BY_WARMTH);
  }

  /**
   * Takes the warmest file of just this mapped capacity; else the warmest larger one that would not
   * waste more warm pages than it saves; else null.
   *
   * @param exact {@code capacity} as it is mapped
   * @param isFit which may be taken
   */
  BackingFile take(long capacity, long exact, Predicate<BackingFile> isFit) {
    BackingFile best =
        files.stream()
            .filter(isFit)
            .filter(
                file ->
                    file.capacity() == exact
                        || (file.capacity() >= capacity && file.warm / 2 <= capacity))
            .max(
                Comparator.comparing((BackingFile file) -> file.capacity() == exact)
                    .thenComparing(BY_WARMTH))
            .orElse(null);
    files.remove(best);
    return best;
  }
}
