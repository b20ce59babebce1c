package dev.sailfish.iappender;

/**
 * Who appends.
 *
 * @param job id of the job
 * @param map ordinal of the map task
 * @param attempt number of the attempt
 */
record MapAttempt(String job, int map, int attempt) {
  @Override
  public String toString() {
    return "job=" + job + " map=" + map + " attempt=" + attempt;
  }

  /** How the attempt names itself to servers. */
  String caller() {
    return "map " + job + " m_" + map + " a_" + attempt;
  }
}
