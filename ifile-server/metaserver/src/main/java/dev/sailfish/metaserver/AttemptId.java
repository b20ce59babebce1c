package dev.sailfish.metaserver;

/** One attempt of one map task of a job. */
record AttemptId(int map, int attempt) {
  @Override
  public String toString() {
    return "map=" + map + " attempt=" + attempt;
  }
}
