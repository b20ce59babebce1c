package dev.sailfish.web.job;

import dev.sailfish.web.job.JobDetail.Point;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a job was when, as far as it was looked at: a bounded number of points, and between which
 * moments data was appended and sorted. For one thread at a time.
 */
final class Progress {
  /** Most points; past it every second one goes. */
  static final int MOST_POINTS = 600;

  private static final long LEAST_MS = 1_000;

  private final List<Point> points = new ArrayList<>();
  private final Span appends = new Span();
  private final Span sorts = new Span();
  private long gapMs = LEAST_MS;

  /** The time in which a figure grows. */
  static final class Span {
    private long figure;
    private long fromMs;
    private long changedMs;

    private void at(long ms, long now) {
      if (now > figure) {
        fromMs = fromMs == 0 ? ms : fromMs;
        changedMs = ms;
        figure = now;
      }
    }

    boolean hasBegun() {
      return fromMs > 0;
    }

    long fromMs() {
      return fromMs;
    }

    /** When it has grown last. */
    long changedMs() {
      return changedMs;
    }
  }

  /** The job is so far now. Figures that shrink, as when a job's data is gone, are not believed. */
  void at(Point now) {
    Point last = points.isEmpty() ? null : points.get(points.size() - 1);
    Point point = last == null ? now : grown(last, now);
    appends.at(point.ms(), point.appendedBytes());
    sorts.at(point.ms(), point.sortedBytes());
    if (last != null && (isSame(last, point) || point.ms() - last.ms() < gapMs)) {
      return;
    }
    points.add(point);
    if (points.size() > MOST_POINTS) {
      for (int i = points.size() - 2; i > 0; i -= 2) {
        points.remove(i);
      }
      gapMs *= 2;
    }
  }

  /** The last figures count, however short the time since the point before. */
  void end(Point now) {
    gapMs = 0;
    at(now);
  }

  /** Begins with points of an earlier process; before any other one. */
  void restore(List<Point> earlier) {
    gapMs = 0;
    earlier.forEach(this::at);
    long spanMs = points.isEmpty() ? 0 : points.get(points.size() - 1).ms() - points.get(0).ms();
    gapMs = Math.max(LEAST_MS, spanMs / MOST_POINTS);
  }

  private static Point grown(Point last, Point now) {
    return new Point(
        now.ms(),
        Math.max(0, now.mapsDone()),
        Math.max(last.appendedBytes(), now.appendedBytes()),
        Math.max(last.sortedBytes(), now.sortedBytes()),
        Math.max(last.reducedBytes(), now.reducedBytes()),
        Math.max(last.reducesDone(), now.reducesDone()));
  }

  private static boolean isSame(Point one, Point other) {
    return one.mapsDone() == other.mapsDone()
        && one.appendedBytes() == other.appendedBytes()
        && one.sortedBytes() == other.sortedBytes()
        && one.reducedBytes() == other.reducedBytes()
        && one.reducesDone() == other.reducesDone();
  }

  /** In the order of time; a new list. */
  List<Point> points() {
    return List.copyOf(points);
  }

  /** How many maps were done last. */
  int mapsDone() {
    return points.isEmpty() ? 0 : points.get(points.size() - 1).mapsDone();
  }

  /** The largest figure of appended bytes; 0: none was seen. */
  long appendedBytes() {
    return appends.figure;
  }

  /** The largest figure of sorted bytes; 0: none was seen. */
  long sortedBytes() {
    return sorts.figure;
  }

  Span appends() {
    return appends;
  }

  Span sorts() {
    return sorts;
  }
}
