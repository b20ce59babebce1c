package dev.sailfish.workflow.kept;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.JobSummary;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops I-files that are kept until the outputs of their job are checkpointed: when all outputs of
 * its lineage record are below or deleted, or the record, which was seen before, has gone for that
 * reason. What it has never seen a record of is left to its time, as that may be in another store.
 *
 * <p>It knows only what it has seen itself: after a restart of the manager, what has become free
 * meanwhile goes when its time has passed. For one thread.
 */
public final class KeptUntilCheckpointed {
  private static final Logger LOG = LoggerFactory.getLogger(KeptUntilCheckpointed.class);

  private final KeptIfiles ifiles;
  private final Configuration conf;
  private final Records records;
  private final Set<String> seen = new HashSet<>(); // ids of jobs that have had a record
  private long dropped;

  /** Lineage records by their names. */
  @FunctionalInterface
  public interface Records {
    /** A user's record of this name; empty: there is none. */
    Optional<DependencyRecord> find(String user, String name) throws IOException;
  }

  /**
   * @param conf says where metaservers are; if it does not, nothing is dropped
   */
  public KeptUntilCheckpointed(KeptIfiles ifiles, Configuration conf, Records records) {
    this.ifiles = ifiles;
    this.conf = conf;
    this.records = records;
  }

  /**
   * Looks at all jobs of the metaserver that ask for it. To be called more often than records are
   * sealed, since one whose outputs are all below goes then.
   */
  public void round() throws IOException {
    if (!KeptIfiles.areIn(conf)) {
      return;
    }
    try (MetaserverClient metaserver = ifiles.client(conf)) {
      List<JobSummary> jobs =
          metaserver.listJobs().getJobsList().stream()
              .filter(JobSummary::getUntilCheckpointed)
              .toList();
      seen.retainAll(jobs.stream().map(JobSummary::getJob).toList());
      for (JobSummary job : jobs) {
        Optional<DependencyRecord> record = records.find(job.getUser(), KeptIfiles.nameOf(job));
        record.ifPresent(found -> seen.add(job.getJob()));
        boolean isFree = record.map(KeptUntilCheckpointed::isSafe).orElse(true);
        if (job.getKept() && isFree && seen.contains(job.getJob())) {
          drop(metaserver, job);
        }
      }
    }
  }

  private void drop(MetaserverClient metaserver, JobSummary job) throws IOException {
    try {
      metaserver.dropKept(job.getJob());
      dropped++;
      LOG.info("I-files of {} are dropped: its outputs are checkpointed", job.getJob());
    } catch (RemoteException e) {
      if (e.status() != Status.JOB_UNKNOWN) { // then its time has passed
        throw e;
      }
    }
  }

  /** Whether no output of a record will ever be made again. */
  private static boolean isSafe(DependencyRecord record) {
    return !record.getGrowing()
        && record.getOutputsList().stream()
            .map(DependencyOutput::getState)
            .allMatch(
                state ->
                    switch (state) {
                      case OUTPUT_BELOW, OUTPUT_DELETED -> true;
                      default -> false;
                    });
  }

  /** Of how many jobs I-files were dropped. */
  public long dropped() {
    return dropped;
  }
}
