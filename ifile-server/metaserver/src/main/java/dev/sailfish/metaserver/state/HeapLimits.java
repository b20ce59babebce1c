package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.Lead;

/**
 * What jobs may make the metaserver keep in its heap, by {@link JobHeap}'s prices, so that a job
 * fails with a sentence before all metaservers end, and end again when they read their journal. The
 * leader says so to all peers, so that all refuse alike.
 *
 * @param jobBytes those of one job; 0 = no limit
 * @param allBytes those of all jobs together; 0 = no limit
 */
public record HeapLimits(long jobBytes, long allBytes) {
  /**
   * Half of the heap, and of one job nine tenths of that.
   *
   * @param maxHeap longest heap, in bytes
   */
  public static HeapLimits of(long maxHeap) {
    long all = maxHeap / 2;
    return new HeapLimits(all / 10 * 9, all);
  }

  /** Those that a leader said; none where it is of a release that knew of none. */
  static HeapLimits of(Lead lead) {
    return new HeapLimits(lead.getHeapJobBytes(), lead.getHeapAllBytes());
  }

  /**
   * Refuses what would bring a job, or all together, over a limit.
   *
   * @param heap what the job takes
   * @param more what it would take beside
   * @throws RequestRefusedException OVER_LIMIT
   */
  void check(String job, JobHeap heap, long more) throws RequestRefusedException {
    check("this job", heap.bytes() + more, jobBytes, job);
    check("all jobs", heap.allBytes() + more, allBytes, job);
  }

  private static void check(String whose, long bytes, long limit, String job)
      throws RequestRefusedException {
    if (limit != 0 && bytes > limit) {
      throw new RequestRefusedException(
          Status.OVER_LIMIT,
          ("bindings, chunks and manifests of %s take too much of the metaserver's heap: with this"
                  + " bytes=%s limit=%s job=%s; fewer partitions, or fewer maps at a time help, or a"
                  + " larger heap (-Xmx) of all metaservers (docs/OPERATIONS.md)")
              .formatted(whose, bytes, limit, job));
    }
  }
}
