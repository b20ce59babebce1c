package dev.sailfish.metaserver.manifest;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.metaserver.wire.Lead;

/**
 * What manifests may take, so that a job fails with a sentence before the memory of the metaserver
 * is short. The leader says so to all peers, so that all refuse alike.
 *
 * @param jobBytes those of one job; 0 = no limit
 * @param allBytes those of all jobs together; 0 = no limit
 */
public record ManifestLimits(long jobBytes, long allBytes) {
  static final ManifestLimits NONE = new ManifestLimits(0, 0);

  /** What other users of direct memory need: buffers of the journal, of connections and files. */
  private static final long LEFT_TO_OTHERS = 96L << 20;

  private static final long LEAST_BYTES = 8L << 20;

  /**
   * What holds when 0 is configured: of all, what is left of the direct memory that the JVM allows,
   * which is as much as the heap, and at most three quarters of it; of one job nine tenths of that.
   *
   * @param maxHeap longest heap, in bytes
   */
  public static ManifestLimits of(long configuredJobBytes, long configuredAllBytes, long maxHeap) {
    long derived = Math.max(LEAST_BYTES, Math.min(maxHeap - LEFT_TO_OTHERS, maxHeap / 4 * 3));
    long all = configuredAllBytes == 0 ? derived : configuredAllBytes;
    return new ManifestLimits(configuredJobBytes == 0 ? all / 10 * 9 : configuredJobBytes, all);
  }

  /** Those that a leader said; none where it is of a release that knew of none. */
  public static ManifestLimits of(Lead lead) {
    return new ManifestLimits(lead.getManifestJobBytes(), lead.getManifestAllBytes());
  }

  /**
   * Refuses a manifest that is too much.
   *
   * @param before what the job's manifests take
   * @param after what they would take with it
   * @param all what all manifests take, without it
   * @throws RequestRefusedException OVER_LIMIT
   */
  public void check(String job, long before, long after, long all) throws RequestRefusedException {
    if (jobBytes != 0 && after > jobBytes) {
      throw refused(
          "manifests of this job take too much memory",
          after,
          jobBytes,
          job,
          MetaserverKey.MANIFESTS_JOB_MAX_SIZE);
    }
    long allAfter = all + after - before;
    if (allBytes != 0 && allAfter > allBytes) {
      throw refused(
          "manifests of all jobs take too much memory",
          allAfter,
          allBytes,
          job,
          MetaserverKey.MANIFESTS_MAX_SIZE);
    }
  }

  private static RequestRefusedException refused(
      String what, long bytes, long limit, String job, Key<?> key) {
    return new RequestRefusedException(
        Status.OVER_LIMIT,
        ("%s at the metaserver: with this one bytes=%s limit=%s job=%s; fewer maps or reduces help,"
                + " or raise %s and the metaserver's heap (docs/OPERATIONS.md)")
            .formatted(what, bytes, limit, job, key.name()));
  }
}
