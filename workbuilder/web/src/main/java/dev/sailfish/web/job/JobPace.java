package dev.sailfish.web.job;

import dev.sailfish.web.source.Source;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When which source of one job is asked again: what is long is asked for less often. Times are
 * milliseconds since 1970. {@link #begin} is thread-safe; the rest is for who has begun.
 */
final class JobPace {
  private static final long SECOND_MS = 1_000;
  private static final int CHUNKS_PER_SECOND = 2_000;
  private static final int TASKS_PER_SECOND = 1_000;

  /** Every other round of a second, whose length varies. */
  private static final long MASTER_MS = 1_800;

  private static final long COUNTERS_MS = 4_000;
  private static final long ACTUALS_MS = 5_000;

  /** How long the history server may need for a job that has ended. */
  private static final long HISTORY_MS = 60_000;

  private final AtomicBoolean asked = new AtomicBoolean();
  private final Source master = new Source("application master");
  private long ifilesMs;
  private long masterMs;
  private long tasksMs;
  private long countersMs;
  private long actualsMs;
  private long endMs;
  private long seriesMs;

  /** Whether a job's ApplicationMaster is asked again; of the thread that begins to ask. */
  boolean isMasterDue(long nowMs) {
    if (nowMs < masterMs) {
      return false;
    }
    masterMs = nowMs + MASTER_MS;
    return true;
  }

  /** Whether the caller may ask now; then it says {@link #end} afterwards. */
  boolean begin() {
    return asked.compareAndSet(false, true);
  }

  void end() {
    asked.set(false);
  }

  /** How the job's ApplicationMaster answers. */
  Source master() {
    return master;
  }

  /** Of the thread that asks the metaserver. */
  boolean areIfilesDue(long nowMs, int chunks) {
    if (nowMs < ifilesMs) {
      return false;
    }
    ifilesMs = nowMs + Math.max(SECOND_MS, SECOND_MS * chunks / CHUNKS_PER_SECOND);
    return true;
  }

  boolean areTasksDue(long nowMs, int tasks) {
    if (nowMs < tasksMs) {
      return false;
    }
    tasksMs = nowMs + SECOND_MS * tasks / TASKS_PER_SECOND;
    return true;
  }

  boolean areCountersDue(long nowMs) {
    if (nowMs < countersMs) {
      return false;
    }
    countersMs = nowMs + COUNTERS_MS;
    return true;
  }

  boolean areActualsDue(long nowMs) {
    if (nowMs < actualsMs) {
      return false;
    }
    actualsMs = nowMs + ACTUALS_MS;
    return true;
  }

  /** Whether it is known of more moments than when this was asked last; of one thread. */
  boolean isSeriesNew(List<JobDetail.Point> series) {
    long lastMs = series.isEmpty() ? 0 : series.get(series.size() - 1).ms();
    boolean isNew = lastMs > seriesMs;
    seriesMs = lastMs;
    return isNew;
  }

  /** Whether the history server has had the time that it may need, since this was asked first. */
  boolean isHistoryLate(long nowMs) {
    endMs = endMs == 0 ? nowMs : endMs;
    return nowMs - endMs > HISTORY_MS;
  }
}
