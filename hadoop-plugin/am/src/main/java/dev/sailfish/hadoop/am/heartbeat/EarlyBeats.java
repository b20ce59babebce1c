package dev.sailfish.hadoop.am.heartbeat;

/**
 * When the next early heartbeat is due. Without I/O and clock: times are given, in ms. For one
 * thread at a time.
 *
 * <pre>
 *   a container is asked for ─ 30 ms ▶ beat ─ 100 ms ▶ beat ─ 150 ▶ beat ─ 225 ▶ … ─ 500 ▶ beat
 *                                                       └── until all is given
 * </pre>
 *
 * They are counted, so that the ResourceManager is not flooded: a job has a number of them, each
 * early beat takes one away, and each regular one gives one back.
 */
final class EarlyBeats {
  /** What is asked for at the same time goes along. */
  static final long FIRST_MS = 30;

  static final long SECOND_MS = 100;
  static final long LONGEST_MS = 500;

  /** For each occasion. */
  static final int MOST = 6;

  /** The second one takes along what the allocator asks for after the first. */
  static final int LEAST = 2;

  private static final long NEVER = Long.MAX_VALUE;

  private final int limit;
  private int left;
  private boolean outstanding;
  private boolean told;
  private long lastMs;
  private long dueMs = NEVER;
  private int beats;

  /**
   * None is due.
   *
   * @param limit how many there may be in a row
   */
  EarlyBeats(int limit) {
    this.limit = limit;
    this.left = limit;
    this.lastMs = Long.MIN_VALUE / 2;
  }

  /** The allocator has something new to ask for. */
  void asked(long nowMs) {
    begin(nowMs);
  }

  /** A task has ended, so that its container does so soon, and there may be another one. */
  void ended(long nowMs) {
    if (outstanding) {
      begin(nowMs);
    }
  }

  private void begin(long nowMs) {
    if (left > 0) {
      beats = 0;
      told = false;
      dueMs = Math.min(dueMs, Math.max(nowMs + FIRST_MS, lastMs + SECOND_MS));
    }
  }

  /**
   * How long to wait for the next one.
   *
   * @return 0 when it is due, a negative number when there is nothing to wait for
   */
  long waitMs(long nowMs) {
    return dueMs == NEVER ? -1 : Math.max(0, dueMs - nowMs);
  }

  /** One is made now. */
  void made(long nowMs) {
    left--;
    beats++;
    lastMs = nowMs;
    dueMs = left > 0 && beats < MOST ? nowMs + pauseMs() : NEVER;
  }

  private long pauseMs() {
    long pause = SECOND_MS;
    for (int i = 1; i < beats; i++) {
      pause = pause * 3 / 2;
    }
    return Math.min(LONGEST_MS, pause);
  }

  /**
   * The ResourceManager has answered.
   *
   * @param regular whether a regular heartbeat
   * @param more whether there are containers that were asked for and not given
   */
  void answered(boolean regular, boolean more) {
    outstanding = more;
    told |= more; // Until then the allocator has not come to ask.
    if (regular) {
      left = Math.min(limit, left + 1);
    }
    if (!more && told && beats >= LEAST) {
      dueMs = NEVER;
    }
  }
}
