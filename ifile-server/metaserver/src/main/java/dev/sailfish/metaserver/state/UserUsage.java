package dev.sailfish.metaserver.state;

/**
 * What the live jobs of one user have together.
 *
 * @param ifiles partitions of all of them
 * @param bytes stored bytes of their chunks, as chunkservers have reported them, and what they may
 *     have taken since
 */
public record UserUsage(String user, int jobs, long ifiles, long bytes) {
  /** The same with one job more. */
  UserUsage with(Job job) {
    return new UserUsage(
        user, jobs + 1, ifiles + job.spec().partitions(), bytes + job.countedBytes());
  }
}
