package dev.sailfish.benchmarks.jobs.qfs;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sailfish.localcluster.CommandException;

/**
 * One file that was written or read.
 *
 * @param contender who did it
 * @param work {@code in} or {@code out}
 * @param mbS 10^6 bytes a second
 * @param cpuS of the client's process, and of the tool's
 */
record QfsRun(
    String contender,
    String work,
    int round,
    @JsonProperty("seconds") double seconds,
    @JsonProperty("mb_s") double mbS,
    @JsonProperty("cpu_s") double cpuS) {
  private static final int FIELDS = 6;

  /** Of a line of the client: the components with blanks between. */
  static QfsRun parse(String line) {
    String[] fields = line.split(" ");
    if (fields.length != FIELDS) {
      throw new CommandException("The client said what is no run: " + line);
    }
    return new QfsRun(
        fields[0],
        fields[1],
        Integer.parseInt(fields[2]),
        Double.parseDouble(fields[3]),
        Double.parseDouble(fields[4]),
        Double.parseDouble(fields[5]));
  }
}
