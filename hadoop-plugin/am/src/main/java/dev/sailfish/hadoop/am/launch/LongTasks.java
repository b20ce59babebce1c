package dev.sailfish.hadoop.am.launch;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Function;

/**
 * Finds out that attempts last long although they see little, by looking at the oldest ones that it
 * knows. Times are in ms.
 *
 * @param <A> names an attempt
 */
final class LongTasks<A> {
  /** In that time both compilers pay for themselves. */
  static final long LONG_MS = 20_000;

  private final Function<A, Times> times;
  private final Queue<A> started = new ArrayDeque<>();
  private A found;

  /**
   * Of an attempt.
   *
   * @param launchedMs 0 before
   * @param finishedMs 0 before
   */
  record Times(long launchedMs, long finishedMs) {
    boolean hasFinished() {
      return finishedMs > 0;
    }

    boolean isLong(long nowMs) {
      return launchedMs > 0 && (hasFinished() ? finishedMs : nowMs) - launchedMs > LONG_MS;
    }
  }

  LongTasks(Function<A, Times> times) {
    this.times = times;
  }

  /** An attempt is being started. */
  void started(A attempt) {
    started.add(attempt);
  }

  /** Returns an attempt that lasts or has lasted long; null if none is known. */
  A any(long nowMs) {
    while (found == null && !started.isEmpty()) {
      Times oldest = times.apply(started.peek());
      if (oldest.isLong(nowMs)) {
        found = started.peek();
      } else if (!oldest.hasFinished()) {
        return null;
      }
      started.remove();
    }
    return found;
  }
}
