package dev.sailfish.hadoop.am.launch;

/**
 * How much there is to do in a job, as far as it is known.
 *
 * @param mapBytes all maps' input; 0 where nobody knows: input that is made up, or read from tables
 * @param reduceBytes all reduces' input, before it is compressed
 */
record JobSize(long mapBytes, int maps, long reduceBytes, int reduces) {
  /** It may be anything. */
  static final long UNKNOWN = Long.MAX_VALUE;

  /**
   * How many bytes the JVM of a task sees, if all tasks have as many.
   *
   * @param map whether it is started for a map
   * @param how the tasks' JVMs
   */
  long bytesPerJvm(boolean map, Jvms how) {
    if (mapBytes <= 0) {
      return UNKNOWN;
    }
    if (how.shared()) {
      return (mapBytes + reduceBytes) / atMost(how.number(), Math.max(maps, reduces));
    }
    return map
        ? mapBytes / atMost(how.number(), maps)
        : reduceBytes / atMost(how.number(), reduces);
  }

  private static int atMost(int jvms, int tasks) {
    return Math.max(1, Math.min(jvms, tasks));
  }

  /**
   * The JVMs of a job's tasks.
   *
   * @param number that run for each kind of task; more than there are tasks where each has its own
   * @param shared whether maps and reduces run in the same ones
   */
  record Jvms(int number, boolean shared) {
    /** Each task has its own. */
    static final Jvms COLD = new Jvms(Integer.MAX_VALUE, false);
  }
}
