package dev.sailfish.benchmarks.store.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long masters took from being elected to serving, as their logs say. */
final class LeadTimes {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");
  private static final int TIME_LENGTH = 23;
  private static final Pattern ELECTED =
      Pattern.compile(".*changes role from +CANDIDATE to LEADER.*");

  private LeadTimes() {}

  /** Of all elections so far of all masters, in milliseconds. */
  static List<Long> ofAll(List<MasterProcess> masters) throws IOException {
    List<Long> times = new ArrayList<>();
    for (MasterProcess master : masters) {
      LocalDateTime elected = null;
      for (String line : Files.readAllLines(master.log())) {
        Matcher election = ELECTED.matcher(line);
        if (election.matches()) {
          elected = time(line);
        } else if (elected != null && line.endsWith("this peer leads")) {
          times.add(Duration.between(elected, time(line)).toMillis());
          elected = null;
        }
      }
    }
    return times;
  }

  private static LocalDateTime time(String line) {
    return LocalDateTime.parse(line.substring(0, TIME_LENGTH), TIME);
  }
}
