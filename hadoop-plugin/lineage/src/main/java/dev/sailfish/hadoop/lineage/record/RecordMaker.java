package dev.sailfish.hadoop.lineage.record;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.hadoop.SailfishJob;
import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.MapReduceJob;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.hadoop.TaskStore;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.RecordObstacle;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the record of a job by the job's id, or makes it: of what is in the staging directory and
 * in the task's working directory. For one thread.
 */
final class RecordMaker {
  private static final Logger LOG = LoggerFactory.getLogger(JobRecorder.class);

  /** How long another task may take to make the record before this one does it. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Duration FIRST_POLL = Duration.ofMillis(50);
  private static final Duration LAST_POLL = Duration.ofSeconds(1);

  /** A recipe that is longer is a program: masters have the record in their heap. */
  private static final int LONG_RECIPE = 1024;

  private final TaskStore store;
  private final Lineage lineage;
  private final Configuration conf;
  private final TaskAttemptID attempt;
  private final String name;
  private final Clock clock;

  /**
   * @param conf of the task
   */
  RecordMaker(TaskStore store, Configuration conf, TaskAttemptID attempt, Clock clock) {
    this.store = store;
    this.lineage = store.client().lineage();
    this.conf = conf;
    this.attempt = attempt;
    this.name = attempt.getJobID().toString();
    this.clock = clock;
  }

  /**
   * The id of the record; waits.
   *
   * @throws UnrecordedException when the job has none, and can have none
   */
  long findOrMake() throws IOException {
    OptionalLong found = find();
    if (found.isPresent()) {
      return found.getAsLong();
    }
    Path staging = new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR));
    FileSystem files = staging.getFileSystem(conf);
    requirePlan(files, staging);
    RecordClaim claim = new RecordClaim(files, staging);
    if (!claim.take()) {
      found = await(claim);
      if (found.isPresent()) {
        return found.getAsLong();
      }
    }
    try {
      return make(files, staging);
    } catch (UnrecordedException e) {
      tell(claim, e);
      throw e;
    }
  }

  private static void tell(RecordClaim claim, UnrecordedException cause) {
    try {
      claim.fail(cause);
    } catch (IOException e) {
      cause.addSuppressed(e); // the others find out themselves
    }
  }

  /**
   * A map of a job whose reduce work is planned has no record before there is a plan: the record
   * would be without it.
   */
  private void requirePlan(FileSystem files, Path staging) throws IOException {
    boolean isEarly =
        attempt.getTaskType() == TaskType.MAP && conf.getInt(MRJobConfig.NUM_REDUCES, 1) > 0;
    if (isEarly
        && SailfishJob.keys(new JobConf(conf)).whyAuto() != null
        && !files.exists(new Path(staging, ProgramName.STAGED_PLAN))) {
      throw new UnrecordedException(
          RecordObstacle.OBSTACLE_PLAN,
          "a map creates a file before the job's reduce work is planned");
    }
  }

  private OptionalLong find() throws IOException {
    try {
      Optional<DependencyRecord> found = lineage.findBrief(name);
      return found.isPresent() ? OptionalLong.of(found.get().getId()) : OptionalLong.empty();
    } catch (StoreRefusedException e) {
      throw refused(e);
    }
  }

  private static UnrecordedException refused(StoreRefusedException e) {
    return new UnrecordedException(RecordObstacle.OBSTACLE_REFUSED, e.getMessage(), e);
  }

  /** Waits for the task that makes the record; empty: it takes too long. */
  private OptionalLong await(RecordClaim claim) throws IOException {
    long deadlineNs = clock.nanoTime() + PATIENCE.toNanos();
    long pollNs = FIRST_POLL.toNanos();
    OptionalLong found = find();
    while (found.isEmpty() && clock.nanoTime() < deadlineNs) {
      UnrecordedException failure = claim.failure();
      if (failure != null) {
        throw failure;
      }
      clock.pause(
          clock.nanoTime() + pollNs, "waits for another task to make the record of " + name);
      pollNs = Math.min(2 * pollNs, LAST_POLL.toNanos());
      found = find();
    }
    return found;
  }

  private long make(FileSystem files, Path staging) throws IOException {
    long beforeNs = clock.nanoTime();
    Duration cpuBefore = cpu();
    try (JobPrograms programs = new JobPrograms(files, staging, conf)) {
      JobInputs inputs = new JobInputs(store, conf);
      inputs.add(programs);
      CreateDependency.Builder record =
          CreateDependency.newBuilder()
              .setType(DependencyType.DEPENDENCY_WIDE)
              .setName(name)
              .setGrowing(true)
              .addAllInputs(inputs.inputs());
      Recipe recipe = recipe(programs, inputs);
      record.setConfig(recipe.toByteString());
      if (recipe.getSerializedSize() > LONG_RECIPE) {
        programs.add(recipe);
        record.setConfig(shortened(recipe));
      }
      record.addAllPrograms(programs.upload(lineage));
      long id = lineage.create(record.build());
      LOG.info(
          "Record {} says how {} makes its files: {} programs, {} inputs; {} ms, {} ms of CPU",
          id,
          name,
          record.getProgramsCount(),
          record.getInputsCount(),
          TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - beforeNs),
          cpu().minus(cpuBefore).toMillis());
      return id;
    } catch (StoreRefusedException e) {
      throw refused(e);
    }
  }

  private static ByteString shortened(Recipe recipe) {
    MapReduceJob job = recipe.getMapReduce().toBuilder().clearCache().build();
    if (job.getSerializedSize() > LONG_RECIPE) {
      job = job.toBuilder().clearInputOfMap().build();
    }
    return recipe.toBuilder().clearInputs().setMapReduce(job).build().toByteString();
  }

  private Recipe recipe(JobPrograms programs, JobInputs inputs) {
    Configuration job = programs.job();
    int reduces = job.getInt(MRJobConfig.NUM_REDUCES, 1);
    return Recipe.newBuilder()
        .setQueue(job.get(MRJobConfig.QUEUE_NAME, "default"))
        .setPriority(priority(job.getTrimmed(MRJobConfig.PRIORITY, "")))
        .addAllInputs(inputs.paths())
        .setMapReduce(
            MapReduceJob.newBuilder()
                .setJob(name)
                .setMaps(job.getInt(MRJobConfig.NUM_MAPS, 0))
                .setReduces(reduces)
                .addAllCache(programs.cache())
                .addAllInputOfMap(reduces == 0 ? inputs.ofMaps() : List.of()))
        .build();
  }

  /** YARN's number for a priority that is a number, or one of MapReduce's words. */
  static int priority(String text) {
    if (text.matches("-?[0-9]{1,9}")) {
      return Integer.parseInt(text);
    }
    for (JobPriority word : JobPriority.values()) {
      if (word.name().equalsIgnoreCase(text)) {
        return Math.max(0, JobPriority.DEFAULT.ordinal() - word.ordinal());
      }
    }
    return 0;
  }

  /** Of this process, all its threads, since it began. */
  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
