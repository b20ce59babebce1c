package dev.sailfish.web.source;

import java.util.List;

/**
 * The lineage store as it is shown.
 *
 * @param present whether one is configured
 * @param names files and directories
 * @param unhealthy what an operator should look at, a sentence each
 * @param synchronous whether new files are written through, whatever their writers ask for
 * @param heardMs when its master answered last, in milliseconds since 1970; null: it has not yet
 */
public record StoreView(
    boolean present,
    long names,
    long writing,
    long copies,
    long quotas,
    long expiries,
    long pins,
    List<ServerRow> workers,
    List<String> unhealthy,
    Checkpoints checkpoints,
    boolean synchronous,
    Long heardMs) {
  /** Where no store is configured, or none has answered yet. */
  public static StoreView empty(boolean present) {
    return new StoreView(
        present, 0, 0, 0, 0, 0, 0, List.of(), List.of(), Checkpoints.NONE, false, null);
  }

  /**
   * How far checkpoints are.
   *
   * @param queue what is copied below next, the first first; the beginning of it
   * @param waiting files that wait, those that are being copied among them
   * @param running files that are being copied
   * @param runningBytes of them, as far as the queue names them
   * @param oldestMs for how long the oldest of them waits
   * @param savedBytes of files that were deleted before their turn, and were never written below
   * @param edgeMs about how long it takes to write the present edge; 0: not known yet
   */
  public record Checkpoints(
      List<Queued> queue,
      long waiting,
      long waitingBytes,
      long running,
      long runningBytes,
      long oldestMs,
      long writtenFiles,
      long writtenBytes,
      long savedBytes,
      long edgeMs) {
    static final Checkpoints NONE = new Checkpoints(List.of(), 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /**
   * A file that waits to be copied below.
   *
   * @param fid its id, in hexadecimal digits
   * @param why in which stage it is, and what failed
   */
  public record Queued(String path, String fid, long bytes, String why) {}
}
