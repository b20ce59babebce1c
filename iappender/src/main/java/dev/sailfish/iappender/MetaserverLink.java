package dev.sailfish.iappender;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.ProtocolException;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.client.Credentials;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.client.Network;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
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

  private final MetaserverClient client;
  private final AttemptId attempt;
  private final Network network;
  private final List<InetSocketAddress> addresses;
  private final Duration deadline;
  private boolean waitLogged;

  private MetaserverLink(MetaserverClient client, AttemptId attempt, IappenderConfig config) {
    this.client = client;
    String job = config.credentials().jobId(attempt.job());
    this.attempt = new AttemptId(job, attempt.map(), attempt.attempt());
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
  static MetaserverLink open(IappenderConfig config, AttemptId attempt) throws IOException {
    Duration reply = shorter(config.deadline(), REPLY_DEADLINE);
    Credentials credentials = config.credentials();
    Network network = config.network();
    long startNs = network.nanoTime();
    for (int failures = 1; ; failures++) {
      try {
        MetaserverClient client =
            MetaserverClient.connect(
                network, config.metaservers(), attempt.caller(), credentials, reply);
        return new MetaserverLink(client, attempt, config);
      } catch (IOException e) {
        long nextNs = network.nanoTime() + Backoff.nanos(failures);
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (e instanceof RemoteException && hopeless(e)) {
          throw refused(config.metaservers(), attempt, (RemoteException) e);
        }
        boolean silent = e instanceof SocketTimeoutException;
        long waitNs = openDeadline(config.deadline(), silent).toNanos();
        if (noneIsResolved(config.metaservers()) || nextNs - startNs > waitNs) {
          throw unreachable(config.metaservers(), attempt, e);
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

  private static Duration shorter(Duration left, Duration right) {
    return left.compareTo(right) < 0 ? left : right;
  }

  private static IOException refused(
      List<InetSocketAddress> addresses, AttemptId attempt, RemoteException cause) {
    if (cause.status() == Status.JOB_UNKNOWN) {
      return jobUnknown(attempt, "the metaserver at " + text(addresses), cause);
    }
    return new IOException(
        "cannot connect to the Sailfish metaserver at "
            + text(addresses)
            + " for "
            + attempt
            + ": "
            + cause.getMessage(),
        cause);
  }

  private static IOException unreachable(
      List<InetSocketAddress> addresses, AttemptId attempt, IOException cause) {
    return new IOException(
        "cannot reach the Sailfish metaserver at "
            + text(addresses)
            + " for "
            + attempt
            + ": "
            + cause.getMessage()
            + "; check that it runs (bin/sailfish status), that "
            + ADDRESS_KEY
            + " names its host and port, and that no firewall is between",
        cause);
  }

  /** The attempt, with the id by which servers know its job. */
  AttemptId attempt() {
    return attempt;
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
            .build();
    CreateIfilesResponse response = (CreateIfilesResponse) call(request, "create the I-files");
    if (spec.encrypted() && !response.getEncrypted()) {
      throw new IOException(
          "the job is to be encrypted, and the metaserver has no word of that, because it is of an"
              + " older release: "
              + attempt
              + " metaserver="
              + text(addresses));
    }
    return response;
  }

  BindResponse bind(BindRequest request) throws IOException {
    return (BindResponse) call(request, "bind to chunks");
  }

  void commit(CommitManifestRequest request) throws IOException {
    call(request, "commit the manifest");
  }

  /**
   * Asks, once, where a chunk is.
   *
   * @return with state LOST also when the chunk is unknown; null when the metaserver does not say
   * @throws IOException when the job has ended, or the thread is interrupted
   */
  ChunkDescription describe(int partition, long chunk) throws IOException {
    try {
      DescribeJobResponse response = client.describeJob(attempt.job(), partition);
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
      if (e instanceof RemoteException refusal && refusal.status() == Status.JOB_UNKNOWN) {
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
    client.abortAttempt(
        AbortAttemptRequest.newBuilder()
            .setJob(attempt.job())
            .setMap(attempt.map())
            .setAttempt(attempt.attempt())
            .setNotRepeatable(notRepeatable)
            .build());
  }

  private MessageLite call(MessageLite request, String what) throws IOException {
    long endNs = network.nanoTime() + deadline.toNanos();
    for (int failures = 1; ; failures++) {
      try {
        return callOnce(request);
      } catch (IOException e) {
        long nextNs = network.nanoTime() + Backoff.nanos(failures);
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (hopeless(e) || nextNs - endNs > 0) {
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
              "waiting up to "
                  + deadline.toMillis()
                  + " ms for the metaserver to "
                  + what
                  + ": "
                  + attempt
                  + " metaserver="
                  + text(addresses)
                  + ": "
                  + cause.getMessage());
    }
  }

  private static boolean hopeless(IOException error) {
    if (error instanceof RemoteException refusal) {
      return !refusal.status().retryable();
    }
    return error instanceof ProtocolException || error instanceof InvalidProtocolBufferException;
  }

  private MessageLite callOnce(MessageLite request) throws IOException {
    if (request instanceof BindRequest bind) {
      return client.bind(bind);
    }
    if (request instanceof CreateIfilesRequest create) {
      return client.createIfiles(create);
    }
    client.commitManifest((CommitManifestRequest) request);
    return request;
  }

  private IOException failure(String what, int tries, IOException cause) {
    if (cause instanceof RemoteException refusal && refusal.status() == Status.JOB_UNKNOWN) {
      return jobUnknown(attempt, "the metaserver at " + text(addresses), cause);
    }
    return new IOException(
        "cannot "
            + what
            + ": "
            + attempt
            + " metaserver="
            + text(addresses)
            + " tries="
            + tries
            + " deadline_ms="
            + deadline.toMillis()
            + ": "
            + cause.getMessage(),
        cause);
  }

  /** The sentence for a job that has ended. */
  static IOException jobUnknown(AttemptId attempt, String server, IOException cause) {
    return new IOException(
        "the job is not known any more, so this attempt cannot go on; it has ended, was killed, or"
            + " no task of it was heard of for too long: "
            + attempt
            + " server="
            + server
            + ": "
            + cause.getMessage(),
        cause);
  }

  void close() {
    client.close();
  }
}
