package dev.sailfish.iappender;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;

/**
 * What an iappender asks of the metaserver. What may succeed later is asked again, with growing
 * waits, until the configured deadline.
 */
final class MetaserverLink {
  /** The key that a user sets the metaserver's address with. */
  private static final String ADDRESS_KEY = "sailfish.metaserver.address";

  private static final Duration REPLY_DEADLINE = Duration.ofSeconds(5);
  private static final Duration OPEN_DEADLINE = Duration.ofSeconds(8);

  /** So the four attempts of a map outlive a metaserver that is silent for a whole deadline. */
  private static final int SILENT_OPENS_IN_DEADLINE = 3;

  private final LeaderClient leader;

  /** The attempt, with the id by which servers know its job. */
  final MapAttempt attempt;

  private final Network network;
  private final List<InetSocketAddress> addresses;
  private final Duration deadline;
  private boolean waitLogged;

  private MetaserverLink(LeaderClient leader, MapAttempt attempt, IappenderConfig config) {
    this.leader = leader;
    String job = config.credentials().jobId(attempt.job());
    this.attempt = new MapAttempt(job, attempt.map(), attempt.attempt());
    this.network = config.network();
    this.addresses = config.metaservers();
    this.deadline = config.deadline();
  }

  /**
   * Connects.
   *
   * @throws IOException when the metaserver cannot be reached: after 8 s when nobody listens there,
   *     and after a third of the deadline, if that is longer, when it does not answer; the message
   *     says what to check
   */
  static MetaserverLink open(IappenderConfig config, MapAttempt attempt) throws IOException {
    Network network = config.network();
    List<InetSocketAddress> addresses = config.metaservers();
    Duration reply = shorter(config.deadline(), REPLY_DEADLINE);
    LeaderClient leader =
        new LeaderClient(network, addresses, attempt.caller(), config.credentials(), reply);
    long startNs = network.nanoTime();
    for (int failures = 1; ; failures++) {
      try {
        leader.connect();
        return new MetaserverLink(leader, attempt, config);
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        boolean silent = e instanceof SocketTimeoutException;
        long endNs = startNs + openDeadline(config.deadline(), silent).toNanos();
        long nextNs = RetryPolicy.TASK.next(e, failures, network.nanoTime(), endNs);
        if (nextNs == RetryPolicy.NEVER || noneIsResolved(addresses)) {
          throw notOpened(addresses, attempt, e);
        }
        network.pause(nextNs, "waiting for the metaserver");
      }
    }
  }

  private static Duration openDeadline(Duration deadline, boolean silent) {
    Duration part = deadline.dividedBy(SILENT_OPENS_IN_DEADLINE);
    return silent && part.compareTo(OPEN_DEADLINE) > 0 ? part : shorter(deadline, OPEN_DEADLINE);
  }

  private static boolean noneIsResolved(List<InetSocketAddress> addresses) {
    for (InetSocketAddress address : addresses) {
      if (!address.isUnresolved()) {
        return false;
      }
    }
    return true;
  }

  private static String text(List<InetSocketAddress> addresses) {
    StringBuilder text = new StringBuilder();
    for (InetSocketAddress address : addresses) {
      text.append(text.length() == 0 ? "" : ",")
          .append(address.getHostString())
          .append(':')
          .append(address.getPort());
    }
    return text.toString();
  }

  static Duration shorter(Duration left, Duration right) {
    return left.compareTo(right) < 0 ? left : right;
  }

  private static IOException notOpened(
      List<InetSocketAddress> addresses, MapAttempt attempt, IOException cause) {
    if (isJobUnknown(cause)) {
      return jobUnknown(attempt, "the metaserver at " + text(addresses), cause);
    }
    boolean refused = cause instanceof RemoteException && !RetryPolicy.mayHeal(cause);
    return new IOException(
        "%s the Sailfish metaserver at %s for %s: %s%s"
            .formatted(
                refused ? "cannot connect to" : "cannot reach",
                text(addresses),
                attempt,
                cause.getMessage(),
                (refused
                    ? ""
                    : "; check that it runs (bin/sailfish status), that "
                        + ADDRESS_KEY
                        + " names its host and port, and that no firewall is between")),
        cause);
  }

  /** Creates the job's I-files, or learns how they were created. */
  CreateIfilesResponse createIfiles(IappenderConfig config, IfileSpec spec) throws IOException {
    CreateIfilesRequest request =
        CreateIfilesRequest.newBuilder()
            .setJob(attempt.job())
            .setPartitions(spec.partitions())
            .setOrdering(spec.order().ordering().code())
            .setCodec(spec.codec().code())
            .setUser(config.user())
            .setChunkBytes(config.chunkBytes())
            .setMap(attempt.map())
            .setAttempt(attempt.attempt())
            .setEncrypted(spec.encrypted())
            .setKeepMs(spec.keepMs())
            .setUntilCheckpointed(spec.untilCheckpointed())
            .build();
    CreateIfilesResponse response =
        call(
            IfileService.CREATE_IFILES,
            request,
            CreateIfilesResponse.parser(),
            "create the I-files");
    if (spec.encrypted() && !response.getEncrypted()) {
      throw new IOException(
          ("the job is to be encrypted, and the metaserver has no word of that, because it is"
                  + " of an older release: %s metaserver=%s")
              .formatted(attempt, text(addresses)));
    }
    return response;
  }

  BindResponse bind(BindRequest request) throws IOException {
    return call(IfileService.BIND, request, BindResponse.parser(), "bind to chunks");
  }

  void commit(CommitManifestRequest request) throws IOException {
    call(IfileService.COMMIT_MANIFEST, request, null, "commit the manifest");
  }

  /**
   * Asks, once, where a chunk is.
   *
   * @return with state LOST also when the chunk is unknown; null when the metaserver does not say
   * @throws IOException when the job has ended, or the thread is interrupted
   */
  ChunkDescription describe(int partition, long chunk) throws IOException {
    // Only this chunk: the one after the last smaller id.
    DescribeJobRequest request =
        DescribeJobRequest.newBuilder()
            .setJob(attempt.job())
            .setPartition(partition)
            .setAfterChunk(chunk - 1)
            .setLimit(1)
            .build();
    try {
      DescribeJobResponse response =
          leader.call(IfileService.DESCRIBE_JOB, request, DescribeJobResponse.parser());
      for (int i = 0; i < response.getChunksCount(); i++) {
        if (response.getChunks(i).getChunk() == chunk) {
          return response.getChunks(i);
        }
      }
      return ChunkDescription.newBuilder().setState(ChunkState.LOST.code()).build();
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      if (isJobUnknown(e)) {
        throw jobUnknown(attempt, "the metaserver at " + text(addresses), e);
      }
      return null;
    }
  }

  /**
   * Tells the metaserver, once, that the attempt will not commit.
   *
   * @param notRepeatable whether that is because it made other records than an earlier attempt
   */
  void abort(boolean notRepeatable) throws IOException {
    leader.call(
        IfileService.ABORT_ATTEMPT,
        AbortAttemptRequest.newBuilder()
            .setJob(attempt.job())
            .setMap(attempt.map())
            .setAttempt(attempt.attempt())
            .setNotRepeatable(notRepeatable)
            .build(),
        null);
  }

  private <Q extends MessageLite, T extends MessageLite> T call(
      Operation<Q, T> operation, Q request, Parser<T> parser, String what) throws IOException {
    long endNs = network.nanoTime() + deadline.toNanos();
    for (int failures = 1; ; failures++) {
      try {
        return leader.call(operation, request, parser);
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        long nextNs = RetryPolicy.TASK.next(e, failures, network.nanoTime(), endNs);
        if (nextNs == RetryPolicy.NEVER) {
          throw failure(what, failures, e);
        }
        logWait(what, e);
        network.pause(nextNs, "waiting for the metaserver to " + what);
      }
    }
  }

  /** Says once that the metaserver is waited for; nothing of logging is loaded before that. */
  private void logWait(String what, IOException cause) {
    if (!waitLogged) {
      waitLogged = true;
      System.getLogger("dev.sailfish.iappender")
          .log(
              System.Logger.Level.WARNING,
              "waiting up to %s ms for the metaserver to %s: %s metaserver=%s: %s"
                  .formatted(
                      deadline.toMillis(), what, attempt, text(addresses), cause.getMessage()));
    }
  }

  /** Whether a server says that the job has ended. */
  static boolean isJobUnknown(IOException failure) {
    return failure instanceof RemoteException refusal && refusal.status() == Status.JOB_UNKNOWN;
  }

  private IOException failure(String what, int tries, IOException cause) {
    if (isJobUnknown(cause)) {
      return jobUnknown(attempt, "the metaserver at " + text(addresses), cause);
    }
    return new IOException(
        "cannot %s: %s metaserver=%s tries=%s deadline_ms=%s: %s"
            .formatted(
                what, attempt, text(addresses), tries, deadline.toMillis(), cause.getMessage()),
        cause);
  }

  /** The sentence for a job that has ended. */
  static IOException jobUnknown(MapAttempt attempt, String server, IOException cause) {
    return new IOException(
        ("the job is not known any more, so this attempt cannot go on; it has ended, was"
                + " killed, or no task of it was heard of for too long: %s server=%s: %s")
            .formatted(attempt, server, cause.getMessage()),
        cause);
  }

  void close() {
    leader.close();
  }
}
