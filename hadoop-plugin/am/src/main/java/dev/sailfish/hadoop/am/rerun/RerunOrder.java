package dev.sailfish.hadoop.am.rerun;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Properties;

/**
 * What is to be run again, as the command tells it: properties with these names.
 *
 * <pre>
 *   job         id of the job, which is its name
 *   task        number of the reduce task
 *   winners     numbers with blanks between: map and attempt, map and attempt, …
 *   key         access key of the job in hexadecimal; missing where nobody is authenticated
 *   metaserver  host:port of all metaservers, with commas between
 *   plan        false: the task's work is the partition of its number, whatever plan there is
 *   staging     directory with job.xml, job.jar and the plan; missing: where they were kept
 *   conf        the job's configuration; missing: job.xml of staging, else that of the job history
 *   jar         the job's jar; missing: that of the configuration
 *   output      directory that is to be made; missing: one beside the job's own output
 * </pre>
 */
public record RerunOrder(
    String job,
    int task,
    int[] winners,
    Optional<byte[]> key,
    Optional<String> metaserver,
    boolean planned,
    Optional<String> staging,
    Optional<String> conf,
    Optional<String> jar,
    Optional<String> output) {

  /** Reads it to its end. */
  static RerunOrder read(InputStream in) throws IOException {
    Properties told = new Properties();
    told.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    return of(told);
  }

  /** The order that properties give. */
  public static RerunOrder of(Properties told) {
    String winners = told.getProperty("winners", "").strip();
    return new RerunOrder(
        told.getProperty("job"),
        Integer.parseInt(told.getProperty("task")),
        winners.isEmpty()
            ? new int[0]
            : Arrays.stream(winners.split(" ")).mapToInt(Integer::parseInt).toArray(),
        Optional.ofNullable(told.getProperty("key")).map(HexFormat.of()::parseHex),
        Optional.ofNullable(told.getProperty("metaserver")),
        Boolean.parseBoolean(told.getProperty("plan", "true")),
        Optional.ofNullable(told.getProperty("staging")),
        Optional.ofNullable(told.getProperty("conf")),
        Optional.ofNullable(told.getProperty("jar")),
        Optional.ofNullable(told.getProperty("output")));
  }
}
