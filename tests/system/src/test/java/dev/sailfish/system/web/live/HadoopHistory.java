package dev.sailfish.system.web.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.JobInfo;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskAttemptInfo;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;
import org.awaitility.Awaitility;

/**
 * A job that has ended, as Hadoop's own parser reads it out of the history file: what pages are
 * compared with.
 */
record HadoopHistory(JobInfo info) {
  private static final Duration WRITTEN = Duration.ofSeconds(90);
  private static final String SUFFIX = ".jhist";

  /** Waits until the job's file is there. */
  static HadoopHistory await(Path directory, String job) {
    return Awaitility.await("the history of " + job + " in " + directory)
        .atMost(WRITTEN)
        .until(() -> read(directory, job), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<HadoopHistory> read(Path directory, String job) {
    try (Stream<Path> files = Files.walk(directory)) {
      Optional<Path> file =
          files
              .filter(path -> path.getFileName().toString().startsWith(job + "-"))
              .filter(path -> path.toString().endsWith(SUFFIX))
              .findAny();
      return file.isPresent() ? Optional.of(parsed(file.get())) : Optional.empty();
    } catch (IOException | UncheckedIOException movedMeanwhile) {
      return Optional.empty();
    }
  }

  private static HadoopHistory parsed(Path file) throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration());
    return new HadoopHistory(new JobHistoryParser(local, file.toString()).parse());
  }

  /** The sum of a counter over all tasks that count; 0 where none has it. */
  long total(String name) {
    return value(info.getTotalCounters(), name);
  }

  private static long value(Counters counters, String name) {
    for (CounterGroup group : counters) {
      for (Counter counter : group) {
        if (counter.getName().equals(name)) {
          return counter.getValue();
        }
      }
    }
    return 0;
  }

  /** All counters: group and name with a blank between, and map, reduce and total. */
  SortedMap<String, String> counters() {
    SortedMap<String, String> all = new TreeMap<>();
    for (CounterGroup group : info.getTotalCounters()) {
      for (Counter counter : group) {
        String name = counter.getName();
        all.put(
            group.getName() + " " + name,
            of(info.getMapCounters(), group.getName(), name)
                + " "
                + of(info.getReduceCounters(), group.getName(), name)
                + " "
                + counter.getValue());
      }
    }
    return all;
  }

  private static long of(Counters counters, String group, String name) {
    Counter counter = counters == null ? null : counters.getGroup(group).findCounter(name, false);
    return counter == null ? 0 : counter.getValue();
  }

  /** A reduce task by its number. */
  TaskInfo reduce(int number) {
    return info.getAllTasks().values().stream()
        .filter(task -> task.getTaskType() == TaskType.REDUCE)
        .filter(task -> task.getTaskId().getId() == number)
        .findAny()
        .orElseThrow();
  }

  /** How long a task took, from when its first attempt was launched. */
  static long elapsedMs(TaskInfo task) {
    long launched =
        task.getAllTaskAttempts().values().stream()
            .mapToLong(TaskAttemptInfo::getStartTime)
            .min()
            .orElseThrow();
    return task.getFinishTime() - launched;
  }

  /** A counter of a reduce task. */
  long ofReduce(int number, String name) {
    return value(reduce(number).getCounters(), name);
  }

  /** Ids of maps that had more than one attempt. */
  Stream<String> mapsWithSeveralAttempts() {
    return info.getAllTasks().values().stream()
        .filter(task -> task.getTaskType() == TaskType.MAP)
        .filter(task -> task.getAllTaskAttempts().size() > 1)
        .map(task -> task.getTaskId().toString());
  }
}
