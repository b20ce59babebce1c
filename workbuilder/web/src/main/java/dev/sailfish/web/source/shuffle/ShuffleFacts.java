package dev.sailfish.web.source.shuffle;

/**
 * A job, as the metaserver tells it.
 *
 * @param id at the metaserver: the job's name; of several jobs with one name, whose users may be
 *     others, all but the first have a tilde and more behind it
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
    boolean kept) {}
