package dev.sailfish.benchmarks.limited;

/**
 * How long bytes take over a link: a token bucket that keeps one number, the time at which the link
 * is free. Who sends takes the next free time and waits until his bytes are through, so that
 * senders get their turns in the order in which they ask. A link that was idle lets a burst through
 * at once.
 *
 * @param bytesPerSecond above 0
 * @param burstBytes what an idle link takes at once; 0 or more
 */
record LinkRate(long bytesPerSecond, long burstBytes) {
  private static final double NS_PER_S = 1e9;

  LinkRate {
    if (bytesPerSecond <= 0 || burstBytes < 0) {
      throw new IllegalArgumentException(
          "a link has a rate above 0 and a burst of 0 or more, not "
              + bytesPerSecond
              + " bytes/s and "
              + burstBytes
              + " bytes");
    }
  }

  private long durationNs(long bytes) {
    return (long) (bytes * NS_PER_S / bytesPerSecond);
  }

  /**
   * When the link is free after bytes that are sent now.
   *
   * @param freeNs when it was to be free before
   */
  long freeAfterNs(long freeNs, long nowNs, long bytes) {
    return Math.max(freeNs, nowNs - durationNs(burstBytes)) + durationNs(bytes);
  }
}
