package dev.sailfish.web.source.shuffle;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.JobSummary;
import dev.sailfish.web.source.Reach;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the metaserver that leads. Thread-safe: one question at a time, and who does not get his
 * turn within the deadline gets an error.
 */
public final class Metaservers implements Closeable {
  private static final int ALL_PARTITIONS = -1;

  private final MetaserverClient client;
  private final Reach reach;
  private final ReentrantLock turn = new ReentrantLock(true);

  private interface Question<T> {
    T ask(MetaserverClient leader) throws IOException;
  }

  /**
   * Does not connect yet.
   *
   * @param addresses of all metaservers
   */
  public Metaservers(List<InetSocketAddress> addresses, Reach reach) {
    this.reach = reach;
    this.client =
        new MetaserverClient(
            reach.network(), addresses, Reach.CALLER, reach.credentials(), reach.deadline());
  }

  private <T> T ask(Question<T> question) throws IOException {
    try {
      if (!turn.tryLock(reach.deadline().toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("the metaserver is being asked too much, try again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: asking the metaserver");
    }
    try {
      return question.ask(client);
    } finally {
      turn.unlock();
    }
  }

  /** All jobs that it knows, those too that have ended and are kept. */
  public List<ShuffleFacts> jobs() throws IOException {
    return ask(MetaserverClient::listJobs).getJobsList().stream().map(Metaservers::facts).toList();
  }

  private static ShuffleFacts facts(JobSummary job) {
    return new ShuffleFacts(
        job.getJob(),
        job.getUser(),
        job.getPartitions(),
        job.getChunks(),
        job.getManifests(),
        job.getRawBytes(),
        job.getEncrypted(),
        job.getKept());
  }

  /**
   * The I-files of a job; empty when the metaserver does not know it (any more).
   *
   * @param id at the metaserver
   */
  public Optional<ShuffleData> ifiles(String id) throws IOException {
    ChunkSums sums = new ChunkSums();
    Optional<DescribeJobResponse> described = describe(id, ALL_PARTITIONS);
    described.ifPresent(job -> job.getChunksList().forEach(sums::add));
    return described.map(job -> sums.data());
  }

  /** The chunks of one partition; empty when the metaserver does not know the job (any more). */
  Optional<List<ChunkDescription>> chunks(String id, int partition) throws IOException {
    return describe(id, partition).map(DescribeJobResponse::getChunksList);
  }

  private Optional<DescribeJobResponse> describe(String id, int partition) throws IOException {
    return ifKnown(leader -> leader.describeJob(id, partition));
  }

  /**
   * The access key of a job; empty when it has ended or was never admitted.
   *
   * @param id at the metaserver
   */
  public Optional<byte[]> accessKey(String id) throws IOException {
    return ifKnown(leader -> leader.accessKey(id));
  }

  private <T> Optional<T> ifKnown(Question<T> question) throws IOException {
    try {
      return Optional.of(ask(question));
    } catch (RemoteException e) {
      if (e.status() == Status.JOB_UNKNOWN) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Closes the connection. */
  @Override
  public void close() {
    client.close();
  }
}
