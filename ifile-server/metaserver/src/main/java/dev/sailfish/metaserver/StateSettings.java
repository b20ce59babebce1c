package dev.sailfish.metaserver;

/**
 * What the core needs of the configuration.
 *
 * @param defaultChunkBytes capacity of a chunk whose job names none
 * @param reservationBytes logical space in a chunk that one bound appender reserves
 * @param leaseMs how long a job lives that nobody names
 * @param deadAfterMs how long a chunkserver may be silent
 * @param quota of each user
 * @param encryptAll whether new jobs are encrypted, whether they ask for it or not
 */
record StateSettings(
    long defaultChunkBytes,
    long reservationBytes,
    long leaseMs,
    long deadAfterMs,
    UserQuota quota,
    boolean encryptAll) {
  static final long MIN_CHUNK_BYTES = 1L << 20;
  static final long MAX_CHUNK_BYTES = 1L << 30;
}
