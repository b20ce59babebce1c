package dev.sailfish.web.source.shuffle;

/**
 * A job, as the metaserver tells it.
 *
 * @param id at the metaserver: the job's own, perhaps with a tilde and more behind it
 * @param manifests of map attempts that have committed
 * @param appendedBytes before compression
 * @param kept whether the job has ended and its I-files are kept
 */
public record ShuffleFacts(
    String id,
    String user,
    int partitions,
    int chunks,
    int manifests,
    long appendedBytes,
    boolean encrypted,
    boolean kept) {

  /** The id of the job of MapReduce: of several with one id others have a tilde and more. */
  public String job() {
    return jobOf(id);
  }

  /** The id of the job of MapReduce for an id at the metaserver. */
  public static String jobOf(String id) {
    int tilde = id.indexOf('~');
    return tilde < 0 ? id : id.substring(0, tilde);
  }
}
