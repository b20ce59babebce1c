package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import dev.sailfish.benchmarks.jobs.workload.PartitionedSort;
import dev.sailfish.cli.TextTable;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.JobRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a shuffle adds to the start of a task: the null job with one map and one reduce, whose JVMs
 * log each class they load, and what collector and consumer say in the tasks' logs.
 */
public final class TaskStart {
  private static final Pattern COLLECTOR_READY =
      Pattern.compile("SailfishMapOutputCollector: .*ready in (\\d+) ms");
  private static final Pattern CONSUMER_READY =
      Pattern.compile("SailfishShuffleConsumer: .*ready in (\\d+) ms");

  private final Distribution distribution;
  private final ClusterLayout layout;
  private final MeasuredRunner runner;
  private final List<Start> starts = new ArrayList<>();

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
  @JsonPropertyOrder({
    "shuffle",
    "round",
    "map_classes",
    "map_client_classes",
    "reduce_classes",
    "reduce_client_classes",
    "collector_ms",
    "consumer_ms"
  })
  public record Start(
      String shuffle,
      int round,
      @JsonProperty("map_classes") long mapClasses,
      @JsonProperty("map_client_classes") long mapClientClasses,
      @JsonProperty("reduce_classes") long reduceClasses,
      @JsonProperty("reduce_client_classes") long reduceClientClasses,
      @JsonProperty("collector_ms") Long collectorMs,
      @JsonProperty("consumer_ms") Long consumerMs) {}

  /**
   * @param runner on a running cluster
   */
  public TaskStart(Distribution distribution, ClusterLayout layout, MeasuredRunner runner) {
    this.distribution = distribution;
    this.layout = layout;
    this.runner = runner;
  }

  /** Runs one job. */
  public void run(Contender shuffle, int round) {
    BenchPlan plan = new BenchPlan(0, 1, 1, List.of(shuffle), 1, Codec.NONE, Map.of());
    JobRequest plain = new PartitionedSort(plan, distribution, false).request(shuffle, round);
    Path mapLog = layout.logs().resolve("classes-" + shuffle + "-" + round + "-map.log");
    Path reduceLog = layout.logs().resolve("classes-" + shuffle + "-" + round + "-reduce.log");
    Map<String, String> configuration = new HashMap<>(plain.configuration());
    configuration.put("mapreduce.map.java.opts", options(mapLog));
    configuration.put("mapreduce.reduce.java.opts", options(reduceLog));
    FileTime before = FileTime.fromMillis(Network.SOCKETS.wallMs());
    String label = "task-start-" + shuffle + "-" + round;
    Measurement measurement =
        runner.run(label, new JobRequest(plain.jar(), plain.arguments(), configuration));
    if (!measurement.succeeded()) {
      throw new CommandException(label + " failed: see the log of its client.");
    }
    List<String> logs = taskLogs(before);
    starts.add(
        new Start(
            shuffle.label(),
            round,
            loaded(mapLog, ""),
            loaded(mapLog, distribution.clientJar().toString()),
            loaded(reduceLog, ""),
            loaded(reduceLog, distribution.clientJar().toString()),
            milliseconds(logs, COLLECTOR_READY),
            milliseconds(logs, CONSUMER_READY)));
  }

  private static String options(Path log) {
    return LocalCluster.taskOptions() + " -Xlog:class+load=info:file=" + log + ":none:filecount=0";
  }

  private static long loaded(Path log, String source) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("source:") && line.contains(source)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The logs of tasks that have written something since then. */
  private List<String> taskLogs(FileTime since) {
    List<String> logs = new ArrayList<>();
    try (Stream<Path> files = Files.walk(layout.containerLogs())) {
      for (Path file : files.filter(file -> file.endsWith("syslog")).toList()) {
        if (Files.getLastModifiedTime(file).compareTo(since) >= 0) {
          logs.add(Files.readString(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return logs;
  }

  private static Long milliseconds(List<String> logs, Pattern pattern) {
    OptionalLong found =
        logs.stream()
            .map(pattern::matcher)
            .filter(Matcher::find)
            .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
            .findFirst();
    return found.isPresent() ? found.getAsLong() : null;
  }

  /** A line per job. */
  public String table() {
    TextTable table =
        new TextTable(
            "shuffle",
            "round",
            "map classes",
            "of client jar",
            "reduce classes",
            "of client jar",
            "collector ms",
            "consumer ms");
    for (Start start : starts) {
      table.add(
          start.shuffle(),
          Integer.toString(start.round()),
          Long.toString(start.mapClasses()),
          Long.toString(start.mapClientClasses()),
          Long.toString(start.reduceClasses()),
          Long.toString(start.reduceClientClasses()),
          start.collectorMs() == null ? "-" : start.collectorMs().toString(),
          start.consumerMs() == null ? "-" : start.consumerMs().toString());
    }
    return table.render();
  }

  /** Writes {@code {"starts": [...]}} to a file. */
  public void writeJson(Path file) {
    ObjectMapper json = new ObjectMapper();
    ObjectNode root = json.createObjectNode();
    root.set("starts", json.valueToTree(starts));
    try {
      Files.writeString(file, root.toPrettyString() + "\n");
    } catch (IOException e) {
      throw new CommandException("Cannot write the report to " + file + ": " + e.getMessage(), e);
    }
  }
}
