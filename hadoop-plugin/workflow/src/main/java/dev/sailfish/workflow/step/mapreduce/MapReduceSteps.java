package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.NeededInputs;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ResourceMgrDelegate;
import org.apache.hadoop.mapred.YARNRunner;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs of Hadoop MapReduce again, for the lost files that they have made. Thread-safe: steps
 * may be begun side by side.
 */
public final class MapReduceSteps implements StepRunner {
  private static final Logger LOG = LoggerFactory.getLogger(MapReduceSteps.class);

  private final Configuration cluster;
  private final Lineage lineage;

  /**
   * @param cluster finds YARN, file systems and the store, as any job client's configuration
   * @param lineage of a client that may read all records' programs; closed by the caller
   */
  public MapReduceSteps(Configuration cluster, Lineage lineage) {
    this.cluster = new JobConf(new YarnConfiguration(cluster));
    this.lineage = lineage;
  }

  @Override
  public RunningStep start(StepRequest request) throws IOException {
    StagedJob staged = new StagedJob(request, new Programs(lineage, request.record()));
    if (!staged.recipe().hasMapReduce()) {
      throw new LostProgramException(
          "record %d is no MapReduce job".formatted(request.record().getId()));
    }
    Owner owner = new Owner(request.record().getOwner());
    RunningStep begun = null;
    try {
      begun = owner.run(() -> submit(request, staged, owner));
      return begun;
    } finally {
      if (begun == null) {
        owner.close();
      }
    }
  }

  private RunningStep submit(StepRequest request, StagedJob staged, Owner owner)
      throws IOException, InterruptedException {
    OutsideInputs.check(NeededInputs.of(request.record(), request.outputs()), staged.conf());
    ResourceMgrDelegate yarn = new ResourceMgrDelegate(new YarnConfiguration(cluster));
    Path staging = null;
    boolean accepted = false;
    try {
      JobID job = yarn.getNewJobID();
      staging = staging(owner, job);
      staged.write(staging, cluster, owner.name());
      Credentials credentials = JobCredentials.of(staged.conf(), staged.recipe(), staging);
      new YARNRunner(staged.conf(), yarn).submitJob(job, staging.toString(), credentials);
      accepted = true;
      LOG.info(
          "Record {} runs again as {} for {} files: {}",
          request.record().getId(),
          job,
          request.outputs().size(),
          staged.recipe().getMapReduce().getJob());
      return new MapReduceStep(yarn, yarn.getApplicationId(), owner, staging, cluster);
    } finally {
      if (!accepted) {
        yarn.stop();
        if (staging != null) {
          staging.getFileSystem(cluster).delete(staging, true);
        }
      }
    }
  }

  @Override
  public RunningStep adopt(StepRequest request, ApplicationId application) throws IOException {
    Owner owner = new Owner(request.record().getOwner());
    return owner.run(
        () ->
            new MapReduceStep(
                new ResourceMgrDelegate(new YarnConfiguration(cluster)),
                application,
                owner,
                staging(owner, TypeConverter.fromYarn(application)),
                cluster));
  }

  private Path staging(Owner owner, JobID job) throws IOException {
    Path area = MRApps.getStagingAreaDir(cluster, owner.name());
    return area.getFileSystem(cluster).makeQualified(new Path(area, job.toString()));
  }
}
