package dev.sailfish.imerger;

import com.google.protobuf.MessageLite;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.protocol.RemoteException;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What all parts of one merge share: configuration, connections, memory, codecs, figures. */
final class MergeSession implements Closeable {
  private final ImergerConfig config;
  private final String job;
  private final int partition;
  private final KeyOrder order;
  private final String caller;
  private final MergeStatistics statistics = new MergeStatistics();
  private final Memory memory;
  private final List<ServerLink> links = new ArrayList<>();
  private Duration patience;
  private boolean waitLogged;
  private final BlockCompression[] compressions = new BlockCompression[CodecId.values().length];

  MergeSession(ImergerConfig config, String job, int partition, KeyOrder order, String caller) {
    this.config = config;
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
    if (!newPatience.equals(patience)) {
      patience = newPatience;
      close();
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
    return plan;
  }

  /** Asks the metaserver for all chunks of the partition. */
  DescribeJobResponse describe() throws IOException {
    return (DescribeJobResponse) ask(null);
  }

  /** Asks for a plan, or without a request for the job's description, until the deadline. */
  private MessageLite ask(PlanPartitionRequest request) throws IOException {
    Backoff backoff = new Backoff();
    long end = System.nanoTime() + config.deadline().toNanos();
    Duration silence = ServerLink.silence(config.deadline());
    while (true) {
      try (MetaserverClient client =
          MetaserverClient.connect(config.metaservers(), caller, silence)) {
        return request == null ? client.describeJob(job, partition) : client.planPartition(request);
      } catch (RemoteException e) {
        if (!e.status().retryable()) {
          throw e;
        }
        pauseBefore(end, e, backoff);
      } catch (IOException e) {
        pauseBefore(end, e, backoff);
      }
    }
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

  private void pauseBefore(long end, IOException failure, Backoff backoff) throws IOException {
    String what = "asking metaserver " + config.metaservers() + " about job=" + job;
    if (Thread.currentThread().isInterrupted()) {
      InterruptedIOException interrupted = new InterruptedIOException("interrupted: " + what);
      interrupted.initCause(failure);
      throw interrupted;
    }
    if (System.nanoTime() - end > 0) {
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
    backoff.pause(what);
  }

  /** Drops all connections; they are opened again when they are needed. */
  @Override
  public void close() {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).close();
    }
  }
}
