package dev.sailfish.hadoop;

import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;

/**
 * The map output of an earlier job, which has ended and whose I-files are kept. A reduce task of a
 * job that recomputes lost files reads it in place of what its own job's maps would write: the same
 * maps, so the same partitions. For one thread.
 */
final class KeptOutput {
  private final String job;
  private final ImergerConfig config;
  private final String caller;
  private int[] winners; // null: not known yet

  /**
   * @param config with the rights to read the earlier job
   */
  private KeptOutput(String job, ImergerConfig config, String caller) {
    this.job = job;
    this.config = config;
    this.caller = caller;
  }

  /**
   * What a reduce task of a job is to read.
   *
   * @param conf has {@link SailfishJob#KEPT_JOB}
   * @param config for reading the job itself
   * @param caller who reads, for the servers' logs
   */
  static KeptOutput of(JobConf conf, ImergerConfig config, String caller) {
    String job = conf.get(SailfishJob.KEPT_JOB);
    byte[] key = conf.getCredentials().getSecretKey(SailfishJob.KEPT_ACCESS_KEY);
    return new KeptOutput(
        job,
        new ImergerConfig(
            config.metaservers(),
            config.memoryBytes(),
            config.spillDirectory(),
            config.deadline(),
            config.refusalPatience(),
            key == null ? Credentials.none() : Credentials.ofAdmitted(job, key),
            config.network()),
        caller);
  }

  /**
   * Begins the merge of a partition.
   *
   * @param range null: all keys
   * @param maps how many the job has: nothing is read unless each of them has its output kept
   * @throws IOException when it cannot be read any more
   */
  Imerger begin(int partition, KeyRange range, KeyOrder order, int maps) throws IOException {
    if (winners == null) {
      winners = askWinners();
    }
    if (winners.length != 2 * maps) {
      throw new IOException(
          "output is kept of %d maps, and the job has %d".formatted(winners.length / 2, maps));
    }
    Imerger merger = Imerger.open(config, job, partition, order, caller);
    boolean begun = false;
    try {
      merger.start(winners, range);
      begun = true;
      return merger;
    } finally {
      if (!begun) {
        merger.close();
      }
    }
  }

  /** Pairs (map, attempt). */
  private int[] askWinners() throws IOException {
    DescribeJobRequest request =
        DescribeJobRequest.newBuilder()
            .setJob(job)
            .setPartition(-1)
            .setLimit(1) // of its chunks, which nobody needs
            .setWinners(true)
            .build();
    try (MetaserverClient metaserver =
        new MetaserverClient(
            config.network(),
            config.metaservers(),
            caller,
            config.credentials(),
            config.deadline())) {
      DescribeJobResponse kept = metaserver.describeJob(request);
      if (!kept.getSummary().getKept()) {
        throw new IOException("it has not ended");
      }
      return kept.getWinnersList().stream().mapToInt(Integer::intValue).toArray();
    }
  }

  /** The id of the earlier job. */
  @Override
  public String toString() {
    return job;
  }
}
