package dev.sailfish.web.source.store;

import dev.sailfish.web.source.servers.ServerRow;
import java.util.List;

/**
 * The lineage store as it is shown.
 *
 * @param present whether one is configured
 * @param names files and directories
 * @param unhealthy what an operator should look at, a sentence each
 * @param lost files that are lost and can be made again, the first of them
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
    List<Lost> lost,
    Checkpoints checkpoints,
    boolean synchronous,
    Long heardMs) {
  /** Where no store is configured, or none has answered yet. */
  public static StoreView empty(boolean present) {
    return new StoreView(
        present, 0, 0, 0, 0, 0, 0, List.of(), List.of(), List.of(), Checkpoints.NONE, false, null);
  }

  /** The same for users, who see how the store is, and no file that may be another's. */
  public StoreView forUsers() {
    List<String> complaints =
        unhealthy.isEmpty()
            ? List.of()
            : List.of(
                "An administrator should look at the store: " + unhealthy.size() + " faults.");
    return new StoreView(
        present,
        names,
        writing,
        copies,
        quotas,
        expiries,
        pins,
        workers,
        complaints,
        List.of(),
        checkpoints.withoutFiles(),
        synchronous,
        heardMs);
  }

  /**
   * A file that is lost, of which a record says how it is made.
   *
   * @param path empty: it has no name any more
   * @param fid its id, in hexadecimal digits
   * @param state {@code lost}, {@code recomputing} or {@code interrupted}
   * @param progress how far its recompute is, or why it was given up, a sentence
   * @param waiting applications of YARN whose tasks wait for it
   */
  public record Lost(String path, String fid, String state, String progress, List<String> waiting) {
    /** With a list of its own. */
    public Lost {
      waiting = List.copyOf(waiting);
    }
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

    private Checkpoints withoutFiles() {
      return new Checkpoints(
          List.of(),
          waiting,
          waitingBytes,
          running,
          runningBytes,
          oldestMs,
          writtenFiles,
          writtenBytes,
          savedBytes,
          edgeMs);
    }
  }

  /**
   * A file that waits to be copied below.
   *
   * @param fid its id, in hexadecimal digits
   * @param stage {@code waiting}, {@code assigned}, {@code copying} or {@code held}
   * @param worker {@code host:port} of that which copies it or is to, or null
   * @param why in which stage it is, where, and what failed
   */
  public record Queued(
      String path, String fid, long bytes, String stage, String worker, String why) {}
}
