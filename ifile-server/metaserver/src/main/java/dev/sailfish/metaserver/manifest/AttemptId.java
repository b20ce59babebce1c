package dev.sailfish.metaserver.manifest;

import java.util.Comparator;

/** One attempt of one map task of a job. */
public record AttemptId(int map, int attempt) implements Comparable<AttemptId> {
  private static final Comparator<AttemptId> ORDER =
      Comparator.comparingInt(AttemptId::map).thenComparingInt(AttemptId::attempt);

  @Override
  public int compareTo(AttemptId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "map=" + map + " attempt=" + attempt;
  }
}
