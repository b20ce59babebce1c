package dev.sailfish.system.yarn;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.JobInfo;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;

/**
 * What a job's history says, while the job runs or afterwards.
 *
 * @param file what it was read from
 * @param masters attempts of the ApplicationMaster
 * @param attempts of each task that is done, by task
 */
public record JobHistory(Path file, int masters, SortedMap<TaskID, Set<TaskAttemptID>> attempts) {
  private static final String SUFFIX = ".jhist";

  /**
   * That of the job which runs, as another attempt of its ApplicationMaster would find it; none
   * when that could not read it, since it has just been begun.
   */
  static Optional<JobHistory> ofRunning(Path cluster) {
    return read(cluster.resolve("data/staging"), any -> true);
  }

  /** That of a job which has ended. */
  static Optional<JobHistory> ofEnded(Path cluster, String job) {
    return read(cluster.resolve("data/history"), name -> name.startsWith(job + "-"));
  }

  private static Optional<JobHistory> read(Path directory, Predicate<String> wanted) {
    if (!Files.exists(directory)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      // The last one: each attempt of the ApplicationMaster writes one.
      Optional<Path> file =
          files
              .filter(path -> path.toString().endsWith(SUFFIX))
              .filter(path -> wanted.test(path.getFileName().toString()))
              .max(Path::compareTo);
      return file.isPresent() ? Optional.of(parse(file.get())) : Optional.empty();
    } catch (IOException | UncheckedIOException movedOrBegun) {
      return Optional.empty();
    }
  }

  /** Reads a copy: the file may still be written to. */
  private static JobHistory parse(Path file) throws IOException {
    Path copy = Files.createTempFile("history", SUFFIX);
    try {
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      FileSystem local = FileSystem.getLocal(new Configuration());
      JobInfo info = new JobHistoryParser(local, copy.toString()).parse();
      SortedMap<TaskID, Set<TaskAttemptID>> done = new TreeMap<>();
      for (TaskInfo task : info.getAllTasks().values()) {
        if ("SUCCEEDED".equals(task.getTaskStatus())) {
          done.put(task.getTaskId(), new TreeSet<>(task.getAllTaskAttempts().keySet()));
        }
      }
      int masters = info.getAMInfos() == null ? 0 : info.getAMInfos().size();
      return new JobHistory(file, masters, done);
    } finally {
      Files.delete(copy);
    }
  }

  /** How many tasks of a kind are done. */
  long done(TaskType type) {
    return attempts.keySet().stream().filter(task -> task.getTaskType() == type).count();
  }

  /** Its job, {@code job_1_0001}. */
  String job() {
    return attempts.firstKey().getJobID().toString();
  }
}
