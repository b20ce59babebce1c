package dev.sailfish.metaserver.state;

import dev.sailfish.ground.config.Key;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.metaserver.wire.Lead;

/**
 * What the jobs of one user may take together: those that live, and those that have ended and are
 * kept.
 *
 * @param maxBytes stored bytes on all chunkservers; 0 = no limit
 * @param maxIfiles I-files, one per partition; 0 = no limit
 */
public record UserQuota(long maxBytes, long maxIfiles) {
  /** No limits. */
  public static final UserQuota NONE = new UserQuota(0, 0);

  /**
   * What the jobs of one user have together.
   *
   * @param jobs how many live
   * @param kept how many have ended and are kept
   * @param ifiles partitions of all of them
   * @param bytes stored bytes of their chunks, as chunkservers have reported them, and what they
   *     may have taken since
   */
  public record Usage(String user, int jobs, int kept, long ifiles, long bytes) {
    /** The same with one job more. */
    Usage with(Job job) {
      int ended = job.isKept() ? 1 : 0;
      return new Usage(
          user,
          jobs + 1 - ended,
          kept + ended,
          ifiles + job.spec().partitions(),
          bytes + job.countedBytes());
    }
  }

  /** Those that a leader said. */
  static UserQuota of(Lead lead) {
    return new UserQuota(lead.getUserMaxBytes(), lead.getUserMaxIfiles());
  }

  /**
   * Why a user gets no more, or null when there is room.
   *
   * @param used what the user's jobs have
   * @param moreIfiles I-files of the job that the user wants to begin; 0 when it has begun
   */
  String refusal(Usage used, int moreIfiles) {
    if (maxIfiles > 0 && moreIfiles > 0 && used.ifiles() + moreIfiles > maxIfiles) {
      String what = "I-files used=%s requested=%s".formatted(used.ifiles(), moreIfiles);
      return sentence(used, what, maxIfiles, MetaserverKey.USER_MAX_IFILES);
    }
    if (maxBytes > 0 && used.bytes() >= maxBytes) {
      String what = "stored bytes used=" + used.bytes();
      return sentence(used, what, maxBytes, MetaserverKey.USER_MAX_SIZE);
    }
    return null;
  }

  private static String sentence(Usage used, String what, long limit, Key<?> key) {
    String kept =
        used.kept() == 0
            ? ""
            : "; drop some of the jobs that have ended and are kept=" + used.kept();
    return ("user is over the quota: user=%s %s limit=%s (%s) live jobs=%s; try again when some of"
            + " them have ended, or have the limit raised%s")
        .formatted(used.user(), what, limit, key.name(), used.jobs(), kept);
  }
}
