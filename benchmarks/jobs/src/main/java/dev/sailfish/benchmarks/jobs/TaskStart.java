package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.JobJars;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a shuffle adds to the start of a task: the null job with one map and one reduce, whose JVMs
 * log each class they load, and what collector and consumer say in the tasks' logs.
 */
record TaskStart(LocalCluster cluster, MeasuredRunner runner) {
  /** What a table shows of a start. */
  static final String COLUMNS =
      "shuffle round map_classes map_client_classes reduce_classes reduce_client_classes"
          + " collector_ms consumer_ms";

  private static final Pattern COLLECTOR_READY =
      Pattern.compile("IfileMapOutputCollector: .*ready in (\\d+) ms");
  private static final Pattern CONSUMER_READY =
      Pattern.compile("IfileShuffleConsumer: .*ready in (\\d+) ms");

  /**
   * One job.
   *
   * @param shuffle contender
   * @param round from 1
   * @param mapClasses that the map task's JVM loaded
   * @param mapClientClasses those of them out of Sailfish's client jar
   * @param reduceClasses that the reduce task's JVM loaded
   * @param reduceClientClasses those of them out of Sailfish's client jar
   * @param collectorMs from {@code init} until the collector takes records; null with stock
   * @param consumerMs until the merge has its first records, all maps being done; null with stock
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  record Start(
      String shuffle,
      int round,
      long mapClasses,
      long mapClientClasses,
      long reduceClasses,
      long reduceClientClasses,
      Long collectorMs,
      Long consumerMs) {}

  /** Runs one job. */
  Start run(Contender shuffle, int round) throws IOException {
    JobJars jars = JobJars.of(cluster.distribution());
    JobRequest plain =
        new PartitionedSort(BenchPlan.small(1, List.of(shuffle)), jars, false, 0)
            .request(shuffle, round);
    String label = "task-start-" + shuffle + "-" + round;
    Path mapLog = cluster.layout().logs().resolve("classes-" + shuffle + "-" + round + "-map.log");
    Path reduceLog =
        cluster.layout().logs().resolve("classes-" + shuffle + "-" + round + "-reduce.log");
    Map<String, String> configuration = new HashMap<>(plain.configuration());
    configuration.put("mapreduce.map.java.opts", options(mapLog));
    configuration.put("mapreduce.reduce.java.opts", options(reduceLog));
    FileTime before = FileTime.fromMillis(Network.SOCKETS.wallMs());
    JobRequest job = new JobRequest(plain.jar(), plain.arguments(), configuration);
    if (!runner.run(label, job).succeeded()) {
      throw new CommandException(label + " failed: see the log of its client.");
    }
    String client = cluster.distribution().clientJar().toString();
    List<String> logs = taskLogs(before);
    return new Start(
        shuffle.toString(),
        round,
        loaded(mapLog, ""),
        loaded(mapLog, client),
        loaded(reduceLog, ""),
        loaded(reduceLog, client),
        milliseconds(logs, COLLECTOR_READY),
        milliseconds(logs, CONSUMER_READY));
  }

  private static String options(Path log) {
    return LocalCluster.TASK_OPTIONS + " -Xlog:class+load=info:file=" + log + ":none:filecount=0";
  }

  private static long loaded(Path log, String source) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("source:") && line.contains(source)).count();
    }
  }

  /** The logs of tasks that have written something since then. */
  private List<String> taskLogs(FileTime since) throws IOException {
    List<String> logs = new ArrayList<>();
    try (Stream<Path> files = Files.walk(cluster.layout().containerLogs())) {
      for (Path file : files.filter(file -> file.endsWith("syslog")).toList()) {
        if (Files.getLastModifiedTime(file).compareTo(since) >= 0) {
          logs.add(Files.readString(file));
        }
      }
    }
    return logs;
  }

  private static Long milliseconds(List<String> logs, Pattern pattern) {
    for (String log : logs) {
      Matcher matcher = pattern.matcher(log);
      if (matcher.find()) {
        return Long.valueOf(matcher.group(1));
      }
    }
    return null;
  }
}
