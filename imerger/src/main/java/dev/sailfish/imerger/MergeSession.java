package dev.sailfish.imerger;

import com.google.protobuf.MessageLite;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.client.SortWait;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What all parts of one merge share: configuration, connections, memory, codecs, figures. */
final class MergeSession implements Closeable {
  private final ImergerConfig config;
  private final String name;
  private String job;
  private final int partition;
  private final KeyOrder order;
  private final String caller;
  private final MergeStatistics statistics = new MergeStatistics();
  private final Memory memory;
  private final List<ServerLink> links = new ArrayList<>();
  private Duration patience;
  private boolean placesUnknown;
  private boolean waitLogged;
  private boolean sortLogged;
  private long sortWaitNs;
  private long leaseMs;
  private final BlockCompression[] compressions = new BlockCompression[CodecId.values().length];

  // Only of an encrypted job; nothing of that is loaded otherwise.
  private boolean encrypted;
  private boolean readsByKey;
  private DataCipher cipher;
  private byte[] decrypted = new byte[0];

  MergeSession(ImergerConfig config, String job, int partition, KeyOrder order, String caller) {
    this.config = config;
    this.name = job;
    this.job = job;
    this.partition = partition;
    this.order = order;
    this.caller = caller;
    this.memory = new Memory(config.memoryBytes());
    this.patience = config.deadline();
  }

  ImergerConfig config() {
    return config;
  }

  /** The id by which servers know the job; its name, before a metaserver was asked. */
  String job() {
    return job;
  }

  int partition() {
    return partition;
  }

  KeyOrder order() {
    return order;
  }

  String caller() {
    return caller;
  }

  /** How long a chunkserver may give no good reply before it counts as unreachable. */
  Duration patience() {
    return patience;
  }

  /** Drops all connections and goes on with another {@link #patience}. */
  void restart(Duration newPatience) {
    placesUnknown = false;
    if (!newPatience.equals(patience)) {
      patience = newPatience;
      close();
    }
  }

  /** It is waited for sorts from now on. */
  void beginSortWait() {
    sortWaitNs = config.network().nanoTime();
  }

  /** Since when it is waited for sorts. */
  long sortWaitNs() {
    return sortWaitNs;
  }

  /** Says once in the log that chunks are not sorted yet. */
  void logWait(ServerLink link, SortWait wait) {
    if (!sortLogged) {
      sortLogged = true;
      System.getLogger("dev.sailfish.imerger")
          .log(
              System.Logger.Level.WARNING,
              link + " is waited for as long as it advances: " + wait.describe());
    }
  }

  MergeStatistics statistics() {
    return statistics;
  }

  Memory memory() {
    return memory;
  }

  /** The link to a chunkserver, the same for all its chunks. */
  ServerLink link(String host, int port) {
    for (int i = 0; i < links.size(); i++) {
      if (links.get(i).leadsTo(host, port)) {
        return links.get(i);
      }
    }
    ServerLink link = new ServerLink(this, host, port);
    links.add(link);
    return link;
  }

  /** The decompressor of a codec. */
  BlockCompression compression(CodecId codec) {
    BlockCompression compression = compressions[codec.ordinal()];
    if (compression == null) {
      compression = BlockCompression.of(codec);
      compressions[codec.ordinal()] = compression;
    }
    return compression;
  }

  /** Whether the job's data is encrypted, as the metaserver has said with the last plan. */
  boolean encrypted() {
    return encrypted;
  }

  /** How long the job lives when nobody names it, in ms; 0 before the first plan. */
  long leaseMs() {
    return leaseMs;
  }

  /** From now on the keys in the indexes of encrypted chunks are needed. */
  void readByKey() {
    readsByKey = true;
  }

  boolean readsByKey() {
    return readsByKey;
  }

  /** The cipher of an encrypted job, the same for all that is read and spilled. */
  DataCipher cipher() throws IOException {
    if (cipher == null) {
      cipher = new DataCipher(dataKey());
    }
    return cipher;
  }

  /** A task's own; a command of the cluster asks the metaserver. */
  private byte[] dataKey() throws IOException {
    Credentials credentials = config.credentials();
    if (!credentials.isCluster()) {
      return credentials.dataKey();
    }
    try (MetaserverClient client = connect(ServerLink.silence(config.deadline()))) {
      return client.dataKey(job);
    }
  }

  /** An array for what is decrypted and not yet decompressed; anybody's until the next call. */
  byte[] decrypted(int length) {
    if (decrypted.length < length) {
      memory.change(length - decrypted.length);
      decrypted = new byte[length];
    }
    return decrypted;
  }

  /** How long a server may take over AWAIT_SORTED before it says that it needs more time. */
  int sortedDeadlineMs() {
    long silenceMs = ServerLink.silence(patience).toMillis();
    return (int) Math.min(Math.max(1, silenceMs * 3 / 4), Integer.MAX_VALUE);
  }

  /**
   * Asks the metaserver for the plan of the partition, again and again until the deadline.
   *
   * @param winners pairs (map, attempt)
   * @param complete whether these are all winners of the job
   */
  PlanPartitionResponse plan(int[] winners, boolean complete) throws IOException {
    if (winners.length == 0) {
      // A job without maps has no I-files that anybody could have created.
      return PlanPartitionResponse.getDefaultInstance();
    }
    PlanPartitionRequest.Builder request =
        PlanPartitionRequest.newBuilder().setJob(job).setPartition(partition).setFinal(complete);
    for (int number : winners) {
      request.addWinners(number);
    }
    PlanPartitionResponse plan = (PlanPartitionResponse) ask(request.build());
    checkPlan(plan, winners);
    encrypted = plan.getEncrypted();
    leaseMs = plan.getLeaseMs();
    return plan;
  }

  /**
   * Tells the metaserver which chunks could not be read, as well as that can be done in a short
   * time, so that map attempts which run again do not count on them.
   *
   * @return the loss
   */
  LostBlocksException reported(LostBlocksException loss) {
    if (loss.chunks().length == 0) {
      return loss;
    }
    ReportUnreadableRequest.Builder request = ReportUnreadableRequest.newBuilder().setJob(job);
    for (long chunk : loss.chunks()) {
      request.addChunks(chunk);
    }
    Duration patient = ServerLink.silence(config.deadline());
    try (MetaserverClient client = connect(patient)) {
      client.reportUnreadable(request.build());
    } catch (IOException e) {
      loss.addSuppressed(e);
    }
    return loss;
  }

  /** Asks the metaserver for all chunks of the partition. */
  DescribeJobResponse describe() throws IOException {
    DescribeJobResponse description = (DescribeJobResponse) ask(null);
    encrypted = description.getSummary().getEncrypted();
    return description;
  }

  /**
   * The link to the chunkserver that the metaserver knows a chunk on by now. A metaserver that did
   * not answer this is not asked again before {@link #restart}.
   *
   * @param why it is asked; is told when the metaserver cannot be asked
   * @return null when it is lost, or cannot be found out
   */
  ServerLink whereIs(long chunk, UnavailableException why) throws InterruptedIOException {
    if (placesUnknown) {
      return null;
    }
    try {
      ChunkDescription found = held(describe(), chunk);
      if (found != null) {
        return link(found.getHost(), found.getPort());
      }
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      placesUnknown = true;
      why.addSuppressed(e);
    }
    return null;
  }

  /**
   * Whether the metaserver says that a chunk is lost, or on another server than this. Asks once.
   *
   * @param patient how long the metaserver may take
   * @return false also when the metaserver cannot be asked
   */
  boolean hasLeft(long chunk, ServerLink link, Duration patient) throws InterruptedIOException {
    try (MetaserverClient client = connect(patient)) {
      ChunkDescription found = held(client.describeJob(job, partition), chunk);
      return found == null || !link.leadsTo(found.getHost(), found.getPort());
    } catch (IOException e) {
      Clock.checkInterrupt("asking where chunk=" + Long.toHexString(chunk) + " is");
      return false;
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

  /** Asks for a plan, or without a request for the job's description, until the deadline. */
  private MessageLite ask(PlanPartitionRequest request) throws IOException {
    long end = config.network().nanoTime() + config.deadline().toNanos();
    Duration silence = ServerLink.silence(config.deadline());
    for (int failures = 1; ; failures++) {
      try (MetaserverClient client = connect(silence)) {
        return request == null
            ? client.describeJob(job, partition)
            : client.planPartition(request.toBuilder().setJob(job).build());
      } catch (IOException e) {
        if (e instanceof RemoteException && !RetryPolicy.mayHeal(e)) {
          throw e;
        }
        pauseBefore(end, e, failures);
      }
    }
  }

  private MetaserverClient connect(Duration silence) throws IOException {
    Credentials credentials = config.credentials();
    MetaserverClient client =
        MetaserverClient.connect(
            config.network(), config.metaservers(), caller, credentials, silence);
    job = credentials.jobId(name);
    return client;
  }

  private void checkPlan(PlanPartitionResponse plan, int[] winners) throws IOException {
    boolean same = plan.getWinnersCount() == winners.length / 2;
    for (int i = 0; same && i < plan.getWinnersCount(); i++) {
      same =
          plan.getWinners(i).getMap() == winners[2 * i]
              && plan.getWinners(i).getAttempt() == winners[2 * i + 1];
    }
    if (!same) {
      throw new IOException(
          "plan of job="
              + job
              + " partition="
              + partition
              + " names other winners than asked: asked="
              + winners.length / 2
              + " got="
              + plan.getWinnersCount());
    }
    if (plan.getChunksCount() > 0 && plan.getOrdering() != order.ordering().code()) {
      throw new IOException(
          "job="
              + job
              + " was written with ordering="
              + plan.getOrdering()
              + ", the reader has "
              + order.ordering()
              + "="
              + order.ordering().code());
    }
  }

  private void pauseBefore(long end, IOException failure, int failures) throws IOException {
    String what = "asking metaserver " + config.metaservers() + " about job=" + job;
    if (Thread.currentThread().isInterrupted()) {
      InterruptedIOException interrupted = new InterruptedIOException("interrupted: " + what);
      interrupted.initCause(failure);
      throw interrupted;
    }
    long nextNs = RetryPolicy.TASK.next(failure, failures, config.network().nanoTime(), end);
    if (nextNs == RetryPolicy.NEVER) {
      throw new IOException(
          "gave up "
              + what
              + " partition="
              + partition
              + " after "
              + config.deadline().toMillis()
              + " ms: "
              + failure.getMessage(),
          failure);
    }
    if (!waitLogged) {
      waitLogged = true;
      System.getLogger("dev.sailfish.imerger")
          .log(
              System.Logger.Level.WARNING,
              what
                  + " is tried again, for up to "
                  + config.deadline().toMillis()
                  + " ms: "
                  + failure.getMessage());
    }
    config.network().pause(nextNs, what);
  }

  /** Drops all connections; they are opened again when they are needed. */
  @Override
  public void close() {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).close();
    }
  }
}
