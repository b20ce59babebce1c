package dev.sailfish.lineage.master.checkpoint;

import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/** Counts what was copied since this master leads, and what that says of what is left. */
final class CheckpointProgress {
  private final WaitingAges ages = new WaitingAges();
  private final EdgeEstimate edge = new EdgeEstimate();
  private long copiedFiles;
  private long copiedBytes;
  private long sparedBytes;
  private long failures;

  /** What waits: files, bytes, and how many files workers have in hand. */
  record Waiting(long files, long bytes, int copying) {}

  void clear(long nowNs) {
    ages.clear();
    edge.clear(nowNs);
    copiedFiles = 0;
    copiedBytes = 0;
    sparedBytes = 0;
    failures = 0;
  }

  /**
   * A file waits from now on.
   *
   * @param waiting how many do
   */
  void waits(long fid, long nowNs, LongPredicate waits, long waiting) {
    ages.add(fid, nowNs, waits, waiting);
  }

  /** A copy has ended well. */
  void copied(long bytes, long spentNs) {
    copiedFiles++;
    copiedBytes += bytes;
    edge.copied(bytes, spentNs);
  }

  /** A file was deleted before its turn. */
  void spared(long bytes) {
    sparedBytes += bytes;
  }

  void failed() {
    failures++;
  }

  /** Looks whether another edge has begun. */
  void look(CheckpointPolicy policy, long nowNs) {
    edge.look(policy, nowNs);
  }

  /**
   * All of it.
   *
   * @param waits which files wait
   * @param workers that copy side by side
   */
  CheckpointNumbers numbers(
      Waiting waiting, LongPredicate waits, CheckpointPolicy policy, int workers, long nowNs) {
    double average = waiting.files == 0 ? 0 : (double) waiting.bytes / waiting.files;
    long edgeNs = edge.longestNs(policy, average, workers, nowNs);
    return new CheckpointNumbers(
        waiting.files,
        waiting.bytes,
        waiting.copying,
        TimeUnit.NANOSECONDS.toMillis(ages.oldestNs(waits, nowNs)),
        copiedFiles,
        copiedBytes,
        sparedBytes,
        failures,
        TimeUnit.NANOSECONDS.toMillis(edgeNs));
  }
}
