package dev.sailfish.lineage.client.lost;

import java.time.Duration;

/**
 * What a reader does that meets a file that is lost and can be recomputed.
 *
 * @param longest how long it waits for the file, each time; zero: it does not wait
 * @param application of YARN, in a container of which it runs; empty: in none
 * @param listener told about once a second while a reader waits, on the reader's thread; must be
 *     short
 */
public record LostFiles(Duration longest, String application, Listener listener) {
  /** A reader in no container, which waits for ten minutes and tells nobody. */
  public static final LostFiles DEFAULT = new LostFiles(Duration.ofMinutes(10), "", waiting -> {});

  /** Hears how long a reader waits, and for what. */
  @FunctionalInterface
  public interface Listener {
    /** A reader waits. */
    void waits(Waiting waiting);
  }

  /**
   * A reader that waits.
   *
   * @param name of the file
   * @param fid of the file
   * @param dependency the record of how it is made
   * @param progress what is being done, for people
   * @param before how long it had waited when it was told last; zero when it is told first
   * @param since how long it has waited
   */
  public record Waiting(
      String name, long fid, long dependency, String progress, Duration before, Duration since) {
    /** Whether it is told for the first time, or the first time in another period of its wait. */
    public boolean begins(Duration period) {
      return since.isZero() || before.dividedBy(period) < since.dividedBy(period);
    }

    /** A sentence with all of it. */
    public String text() {
      return "%s (fid=%016x) is lost, and is to be made again as dependency=%d says; after %d s: %s"
          .formatted(name, fid, dependency, since.toSeconds(), progress);
    }
  }
}
