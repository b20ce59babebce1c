package dev.sailfish.imerger.fetch;

import com.google.protobuf.MessageLite;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;

/**
 * What a merge asks the metaserver and tells it, each time over a connection of its own, and what
 * it has learnt of the job.
 */
public final class MetaserverCalls {
  private final ImergerConfig config;
  private final String name;
  private final int partition;
  private final String caller;
  private final Duration silence;
  private String job;
  private boolean encrypted;
  private long leaseMs;
  private boolean placesUnknown;
  private boolean waitLogged;

  /**
   * @param name of the job
   * @param caller who asks, for the server's log
   */
  public MetaserverCalls(ImergerConfig config, String name, int partition, String caller) {
    this.config = config;
    this.name = name;
    this.job = name;
    this.partition = partition;
    this.caller = caller;
    this.silence = ReadLinks.silence(config.deadline());
  }

  /** The id by which servers know the job; its name, before a metaserver was asked. */
  public String job() {
    return job;
  }

  /** The partition that is read. */
  public int partition() {
    return partition;
  }

  /** Whether the job's data is encrypted, as was said with the last plan or description. */
  public boolean encrypted() {
    return encrypted;
  }

  /** How long the job lives when nobody names it, in ms; 0 before the first plan. */
  public long leaseMs() {
    return leaseMs;
  }

  /** Who asks. */
  String caller() {
    return caller;
  }

  /**
   * Asks for the plan of the partition, again and again until the deadline.
   *
   * @param winners pairs (map, attempt)
   * @param complete whether these are all winners of the job
   * @param ordering that the reader has
   */
  public PlanPartitionResponse plan(int[] winners, boolean complete, Ordering ordering)
      throws IOException {
    if (winners.length == 0) {
      // A job without maps has no I-files that anybody could have created.
      return PlanPartitionResponse.getDefaultInstance();
    }
    PlanPartitionResponse plan = (PlanPartitionResponse) ask(request(winners, complete));
    check(plan, winners, ordering);
    return plan;
  }

  /**
   * Asks once for the plan of what has been written so far, which nobody depends on.
   *
   * @param winners pairs (map, attempt), some
   * @param ordering that the reader has
   * @param patient how long the metaserver may take
   * @return null when it does not answer
   * @throws IOException when it refuses, and will again
   */
  public PlanPartitionResponse planSoFar(int[] winners, Ordering ordering, Duration patient)
      throws IOException {
    if (winners.length == 0) {
      return PlanPartitionResponse.getDefaultInstance();
    }
    PlanPartitionResponse plan;
    try (LeaderClient leader = connect(patient.compareTo(silence) < 0 ? patient : silence)) {
      plan = plan(leader, request(winners, false));
    } catch (IOException e) {
      if (e instanceof RemoteException && !RetryPolicy.mayHeal(e)) {
        throw e;
      }
      Clock.checkInterrupt("asking what there is of job=" + job);
      return null;
    }
    check(plan, winners, ordering);
    return plan;
  }

  private PlanPartitionRequest.Builder request(int[] winners, boolean complete) {
    PlanPartitionRequest.Builder request =
        PlanPartitionRequest.newBuilder().setPartition(partition).setFinal(complete);
    for (int number : winners) {
      request.addWinners(number);
    }
    return request;
  }

  /** Without MetaserverClient, whose class a task that only plans does not load. */
  private PlanPartitionResponse plan(LeaderClient leader, PlanPartitionRequest.Builder request)
      throws IOException {
    return leader.call(
        IfileService.PLAN_PARTITION, request.setJob(job).build(), PlanPartitionResponse.parser());
  }

  private void check(PlanPartitionResponse plan, int[] winners, Ordering ordering)
      throws IOException {
    checkWinners(plan, winners);
    if (plan.getChunksCount() > 0 && plan.getOrdering() != ordering.code()) {
      throw new IOException(
          "job=%s was written with ordering=%s, the reader has %s=%s"
              .formatted(job, plan.getOrdering(), ordering, ordering.code()));
    }
    encrypted = plan.getEncrypted();
    leaseMs = plan.getLeaseMs();
  }

  private void checkWinners(PlanPartitionResponse plan, int[] winners) throws IOException {
    boolean same = plan.getWinnersCount() == winners.length / 2;
    for (int i = 0; same && i < plan.getWinnersCount(); i++) {
      same =
          plan.getWinners(i).getMap() == winners[2 * i]
              && plan.getWinners(i).getAttempt() == winners[2 * i + 1];
    }
    if (!same) {
      throw new IOException(
          "plan of job=%s partition=%s names other winners than asked: asked=%s got=%s"
              .formatted(job, partition, winners.length / 2, plan.getWinnersCount()));
    }
  }

  /** Asks for all chunks of the partition, again and again until the deadline. */
  public DescribeJobResponse describe() throws IOException {
    DescribeJobResponse description = (DescribeJobResponse) ask(null);
    encrypted = description.getSummary().getEncrypted();
    return description;
  }

  /** A metaserver that did not tell the place of a chunk may be asked again. */
  void restart() {
    placesUnknown = false;
  }

  /**
   * Where a chunk is by now. A metaserver that did not answer this is not asked again before {@link
   * #restart}.
   *
   * @param why it is asked; is told when the metaserver cannot be asked
   * @return null when it is lost, or cannot be found out
   */
  public ChunkDescription whereIs(long chunk, UnavailableException why)
      throws InterruptedIOException {
    if (placesUnknown) {
      return null;
    }
    try {
      return held(describe(), chunk);
    } catch (IOException e) {
      Clock.checkInterrupt("asking where chunk=" + Long.toHexString(chunk) + " is");
      placesUnknown = true;
      why.addSuppressed(e);
      return null;
    }
  }

  /**
   * Why a chunk need not be waited for on a server that cannot be reached: the metaserver says that
   * it is lost, or elsewhere; or, if the server refuses, that another reader of the job has found
   * that, too. Asks once.
   *
   * @param patient how long the metaserver may take
   * @return null when there is no reason, or the metaserver cannot be asked
   */
  String whyNotThere(long chunk, ReadLink link, boolean refuses, Duration patient)
      throws InterruptedIOException {
    try (LeaderClient leader = connect(patient)) {
      ChunkDescription found = held(client(leader).describeJob(job, partition), chunk);
      if (found == null || !link.leadsTo(found.getHost(), found.getPort())) {
        return "the metaserver knows the chunk there no more";
      }
      return refuses && found.getDoubted() ? "another reader could not read there" : null;
    } catch (IOException e) {
      Clock.checkInterrupt("asking where chunk=" + Long.toHexString(chunk) + " is");
      return null;
    }
  }

  /** What the metaserver says of a chunk, or null when that is lost or unknown. */
  private static ChunkDescription held(DescribeJobResponse description, long chunk) {
    for (int i = 0; i < description.getChunksCount(); i++) {
      ChunkDescription found = description.getChunks(i);
      if (found.getChunk() == chunk && found.getState() != ChunkState.LOST.code()) {
        return found;
      }
    }
    return null;
  }

  /**
   * Tells the metaserver which chunks could not be read, as well as that can be done in a short
   * time, so that map attempts which run again do not count on them.
   */
  public void reportUnreadable(List<Long> chunks) throws IOException {
    try (LeaderClient leader = connect(silence)) {
      client(leader)
          .reportUnreadable(
              ReportUnreadableRequest.newBuilder().setJob(job).addAllChunks(chunks).build());
    }
  }

  /** The key of the job's data: a task's own; a command of the cluster asks for it. */
  public byte[] dataKey() throws IOException {
    Credentials credentials = config.credentials();
    if (!credentials.isCluster()) {
      return credentials.dataKey();
    }
    try (LeaderClient leader = connect(silence)) {
      return client(leader).dataKey(job);
    }
  }

  /** Asks for a plan, or without a request for the job's description, until the deadline. */
  private MessageLite ask(PlanPartitionRequest.Builder request) throws IOException {
    long end = config.network().nanoTime() + config.deadline().toNanos();
    for (int failures = 1; ; failures++) {
      try (LeaderClient leader = connect(silence)) {
        return request == null ? client(leader).describeJob(job, partition) : plan(leader, request);
      } catch (IOException e) {
        if (e instanceof RemoteException && !RetryPolicy.mayHeal(e)) {
          throw e;
        }
        pauseBefore(end, e, failures);
      }
    }
  }

  private LeaderClient connect(Duration patient) throws IOException {
    Credentials credentials = config.credentials();
    LeaderClient leader =
        new LeaderClient(config.network(), config.metaservers(), caller, credentials, patient);
    leader.connect();
    job = credentials.jobId(name);
    return leader;
  }

  private MetaserverClient client(LeaderClient leader) {
    return new MetaserverClient(leader, config.credentials());
  }

  private void pauseBefore(long end, IOException failure, int failures) throws IOException {
    String what = "asking metaserver " + config.metaservers() + " about job=" + job;
    long deadlineMs = config.deadline().toMillis();
    Clock.checkInterrupt(what);
    long nextNs = RetryPolicy.TASK.next(failure, failures, config.network().nanoTime(), end);
    if (nextNs == RetryPolicy.NEVER) {
      throw new IOException(
          "gave up %s partition=%s after %s ms: %s"
              .formatted(what, partition, deadlineMs, failure.getMessage()),
          failure);
    }
    if (!waitLogged) {
      waitLogged = true;
      System.getLogger("dev.sailfish.imerger")
          .log(
              System.Logger.Level.WARNING,
              what + " is tried again, for up to " + deadlineMs + " ms: " + failure.getMessage());
    }
    config.network().pause(nextNs, what);
  }
}
