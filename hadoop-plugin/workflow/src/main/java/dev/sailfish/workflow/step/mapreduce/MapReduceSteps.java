package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.lineage.client.Lineage;
import dev.sailfish.workflow.kept.KeptIfiles;
import dev.sailfish.workflow.kept.KeptIfiles.Kept;
import dev.sailfish.workflow.step.ApplicationStep;
import dev.sailfish.workflow.step.LostProgramException;
import dev.sailfish.workflow.step.NeededInputs;
import dev.sailfish.workflow.step.Owner;
import dev.sailfish.workflow.step.Programs;
import dev.sailfish.workflow.step.RunningStep;
import dev.sailfish.workflow.step.StepRequest;
import dev.sailfish.workflow.step.StepRunner;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ResourceMgrDelegate;
import org.apache.hadoop.mapred.YARNRunner;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs of Hadoop MapReduce again, for the lost files that they have made: without maps, where
 * the job's I-files are kept. After a step that has read these and has not succeeded, the next one
 * for the same record has maps. Thread-safe: steps may be begun side by side.
 */
public final class MapReduceSteps implements StepRunner {
  private static final Logger LOG = LoggerFactory.getLogger(MapReduceSteps.class);

  private static final String METASERVER = "sailfish.metaserver.";

  private final Configuration cluster;
  private final Lineage lineage;
  private final KeptIfiles ifiles;
  private final Map<Long, RunningStep> readKept = new ConcurrentHashMap<>(); // last, by record

  /**
   * @param cluster finds YARN, file systems and the store, as any job client's configuration
   * @param lineage of a client that may read all records' programs; closed by the caller
   * @param ifiles of jobs that have ended
   */
  public MapReduceSteps(Configuration cluster, Lineage lineage, KeptIfiles ifiles) {
    this.cluster = new JobConf(new YarnConfiguration(cluster));
    this.lineage = lineage;
    this.ifiles = ifiles;
  }

  @Override
  public RunningStep start(StepRequest request) throws IOException {
    StagedJob staged = new StagedJob(request, new Programs(lineage, request.record()), cluster);
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
      staging = ApplicationStep.staging(cluster, owner, TypeConverter.toYarn(job).getAppId());
      Optional<Kept> kept = kept(request, staged, owner);
      staged.write(staging, cluster, owner.name(), kept);
      Credentials credentials = JobCredentials.of(staged.conf(), staged.recipe(), staging);
      kept.ifPresent(one -> JobChanges.allow(one, credentials));
      new YARNRunner(staged.conf(), yarn).submitJob(job, staging.toString(), credentials);
      accepted = true;
      LOG.info(
          "Record {} runs again as {} for {} files: {}, whose I-files are {}",
          request.record().getId(),
          job,
          request.outputs().size(),
          staged.recipe().getMapReduce().getJob(),
          kept.isPresent() ? "kept, so that no map is to run" : "not read");
      RunningStep step =
          new ApplicationStep(yarn, yarn.getApplicationId(), owner, staging, cluster);
      if (kept.isPresent()) {
        readKept.put(request.record().getId(), step);
      }
      return step;
    } finally {
      if (!accepted) {
        yarn.stop();
        if (staging != null) {
          staging.getFileSystem(cluster).delete(staging, true);
        }
      }
    }
  }

  private Optional<Kept> kept(StepRequest request, StagedJob staged, Owner owner)
      throws IOException {
    RunningStep last = readKept.remove(request.record().getId());
    boolean hasFailed = last != null && last.state() != RunningStep.State.SUCCEEDED;
    if (hasFailed || !staged.isOfReduces()) {
      return Optional.empty();
    }
    Configuration conf = new Configuration(staged.conf());
    for (Map.Entry<String, String> entry : cluster.getPropsWithPrefix(METASERVER).entrySet()) {
      conf.set(METASERVER + entry.getKey(), entry.getValue());
    }
    return ifiles.find(conf, staged.recipe().getMapReduce().getJob(), owner.name());
  }

  @Override
  public RunningStep adopt(StepRequest request, ApplicationId application) throws IOException {
    return ApplicationStep.adopt(cluster, request, application);
  }
}
