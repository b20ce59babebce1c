package dev.sailfish.lineage.master.under;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Which paths are being changed below by this master, and were of late: what was seen there
 * meanwhile may be neither the state before nor that after, and does not count. Thread-safe.
 */
final class Disturbances {
  private static final int MOST_ENDED = 10_000;

  private record Ended(String path, long at) {}

  private final List<String> running = new ArrayList<>();
  private final Deque<Ended> ended = new ArrayDeque<>();
  private long ticks;
  private long forgotten = -1; // the latest that is remembered no more

  /** A moment, to be kept before something is looked at. */
  synchronized long now() {
    return ticks;
  }

  /** A path and all below it begin to change. */
  synchronized void begin(String path) {
    running.add(path);
  }

  /** They do so no more, and the journal has, before anything else, what has changed. */
  synchronized void end(String path) {
    running.remove(path);
    ended.addLast(new Ended(path, ticks++));
    if (ended.size() > MOST_ENDED) {
      forgotten = ended.removeFirst().at();
    }
  }

  /**
   * Does something unless a path, something above it or below it has changed since a moment.
   *
   * @return whether it was done
   */
  synchronized boolean unlessDisturbed(String path, long since, Runnable work) {
    boolean isDisturbed =
        forgotten >= since
            || running.stream().anyMatch(other -> overlap(path, other))
            || ended.stream().anyMatch(other -> other.at >= since && overlap(path, other.path));
    if (!isDisturbed) {
      work.run();
    }
    return !isDisturbed;
  }

  private static boolean overlap(String one, String other) {
    return isWithin(one, other) || isWithin(other, one);
  }

  private static boolean isWithin(String path, String directory) {
    return path.equals(directory)
        || directory.equals("/")
        || (path.startsWith(directory) && path.charAt(directory.length()) == '/');
  }
}
