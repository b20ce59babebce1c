package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.recompute.OrderFile;
import dev.sailfish.hadoop.lineage.wire.CacheFile;
import dev.sailfish.hadoop.lineage.wire.InputPath;
import dev.sailfish.hadoop.lineage.wire.OrderedInput;
import dev.sailfish.hadoop.lineage.wire.OrderedOutput;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.hadoop.lineage.wire.RecomputeOrder;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.workflow.kept.KeptIfiles.Kept;
import dev.sailfish.workflow.step.Programs;
import dev.sailfish.workflow.step.StepRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobSubmissionFiles;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The staging directory of a job that recomputes, as Hadoop's client would have made it: of the
 * record's programs, with a changed configuration and the order. As the record's owner, for one
 * thread.
 */
final class StagedJob {
  private static final String CACHE = "cache";
  private static final String REDUCE_WORK = "sailfish.reduce.work";

  private final StepRequest request;
  private final Programs programs;
  private final Recipe recipe;
  private final JobConf job;

  /**
   * Reads the job's configuration; writes nothing yet.
   *
   * @param cluster the manager's configuration
   * @throws IOException also when the programs are not there any more
   */
  StagedJob(StepRequest request, Programs programs, Configuration cluster) throws IOException {
    this.request = request;
    this.programs = programs;
    recipe = programs.recipe();
    job = read(programs.bytes(ProgramName.JOB_XML));
    JobChanges.connect(job, cluster);
  }

  /** A user has written it, so it must not have this process read anything else. */
  static JobConf read(byte[] jobXml) {
    JobConf job = new JobConf(false);
    boolean isRestricted = true;
    job.addResource(new ByteArrayInputStream(jobXml), ProgramName.JOB_XML, isRestricted);
    job.size(); // reads it
    return job;
  }

  /** How the record is run again. */
  Recipe recipe() {
    return recipe;
  }

  /** Whether only reduce tasks have made what is wanted. */
  boolean isOfReduces() {
    return order().getOutputsList().stream().noneMatch(OrderedOutput::getMap);
  }

  /** The job's configuration, as far as it is changed; the order is not in it. */
  JobConf conf() {
    return job;
  }

  /**
   * Writes the directory.
   *
   * @param staging where nothing is
   * @param cluster the manager's configuration
   * @param owner of the record
   * @param kept what is kept of the job's map output; empty: maps run
   */
  void write(Path staging, Configuration cluster, String owner, Optional<Kept> kept)
      throws IOException {
    FileSystem files = staging.getFileSystem(cluster);
    FileSystem.mkdirs(files, staging, JobSubmissionFiles.JOB_DIR_PERMISSION);
    CachedFiles cached = new CachedFiles(new JobConf(job));
    JobChanges.apply(job, cluster, request, recipe, owner, staging);
    kept.ifPresent(one -> JobChanges.read(one, job));
    stage(files, new Path(staging, ProgramName.SPLITS), ProgramName.SPLITS);
    stage(files, new Path(staging, ProgramName.SPLIT_PLACES), ProgramName.SPLIT_PLACES);
    job.unset(MRJobConfig.JAR);
    if (programs.has(ProgramName.JOB_JAR)) {
      Path jar = new Path(staging, ProgramName.JOB_JAR);
      stage(files, jar, ProgramName.JOB_JAR);
      job.set(MRJobConfig.JAR, jar.toString());
    }
    if (programs.has(ProgramName.PLAN)) {
      stage(files, new Path(staging, ProgramName.STAGED_PLAN), ProgramName.PLAN);
    } else {
      job.set(REDUCE_WORK, "fixed"); // it was: a plan of now would be another one
    }
    stageCache(files, staging, cached);
    Path order = new Path(staging, OrderFile.NAME);
    try (OutputStream out = create(files, order)) {
      order().writeTo(out);
    }
    cached.add(false, files.getFileStatus(order), OrderFile.NAME);
    cached.apply(job);
    Configuration tasks = new Configuration(job);
    OrderFile.apply(tasks);
    try (OutputStream out = create(files, JobSubmissionFiles.getJobConfPath(staging))) {
      tasks.writeXml(out);
    }
  }

  private void stageCache(FileSystem files, Path staging, CachedFiles cached) throws IOException {
    CachedPaths paths = new CachedPaths(new Path(staging, CACHE));
    for (CacheFile file : recipe.getMapReduce().getCacheList()) {
      if (file.getProgram().isEmpty()) {
        cached.keep(file);
      } else {
        if (paths.copy(file) == null) {
          Path place = paths.place(file);
          stage(files, place, file.getProgram());
          paths.add(file, files.getFileStatus(place));
        }
        cached.add(file, paths.copy(file));
      }
    }
    paths.apply(job);
  }

  private void stage(FileSystem files, Path file, String program) throws IOException {
    try (OutputStream out = create(files, file)) {
      programs.fetch(program, out);
    }
  }

  private static OutputStream create(FileSystem files, Path file) throws IOException {
    return FileSystem.create(files, file, JobSubmissionFiles.JOB_FILE_PERMISSION);
  }

  private RecomputeOrder order() {
    RecomputeOrder.Builder order = RecomputeOrder.newBuilder();
    boolean hasOnlyMaps = recipe.getMapReduce().getReduces() == 0;
    for (DependencyOutput output : request.outputs()) {
      order.addOutputs(
          OrderedOutput.newBuilder()
              .setFid(output.getFid())
              .setMap(output.getMap() || hasOnlyMaps)
              .setTask(output.getIndex())
              .setFile(output.getFile())
              .setLength(output.getLength()));
    }
    DependencyRecord record = request.record();
    for (InputPath input : recipe.getInputsList()) {
      long fid = record.getInputs(input.getInput()).getFid();
      if (fid != 0) {
        order.addInputs(OrderedInput.newBuilder().setPath(input.getPath()).setFid(fid));
      }
    }
    return order.build();
  }
}
