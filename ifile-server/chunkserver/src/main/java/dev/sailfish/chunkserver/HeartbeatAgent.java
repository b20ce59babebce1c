package dev.sailfish.chunkserver;

import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.recovery.ChunkCopier;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that keeps the metaserver informed and does what it commands. While the metaserver
 * cannot be reached it tries again, waiting longer each time; the server works on meanwhile,
 * because readers and appenders that know their chunks need no metaserver. When the two do not
 * trust each other from the start, it gives up; when they did before, it tries on and says so each
 * time, because what is held here is not to be lost over a mistake on the other side.
 */
final class HeartbeatAgent implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatAgent.class);
  private static final long LEAST_PERIOD_MS = 20;
  private static final long CLOSE_DEADLINE_MS = 5_000;

  private final ChunkTable chunks;
  private final ChunkCopier copier;
  private final Metrics<ChunkserverMetric> metrics;
  private final Clock clock;
  private final MetaserverClient metaserver;
  private final Supplier<RegisterChunkserverRequest> registration;
  private final Supplier<HeartbeatRequest> heartbeat;
  private final Notices notices;
  private volatile boolean closed;
  private final Thread thread = new Thread(this::run, "heartbeat");
  private boolean registered;

  /** Who hears what becomes of this server and of jobs. Called on the agent's thread. */
  interface Notices {
    /** The job has ended; its chunks are deleted already. */
    void jobEnded(String job);

    /**
     * The metaserver and this server did not prove to each other who they are, at the first try: no
     * further one is made.
     */
    void refused(RemoteException cause);

    /** The metaserver has taken this server, with all that it holds. */
    void registered();

    /** There is no metaserver that takes this server; the next try follows by itself. */
    void alone(IOException cause);
  }

  /**
   * @param metaserver is used and closed by the agent's thread; its deadline is longer than a
   *     heartbeat waits
   * @param registration who is here, without the chunks
   * @param heartbeat how much is used and how long to wait, without chunks and jobs
   * @param notices hears of ended jobs and of a metaserver that refuses this server
   */
  HeartbeatAgent(
      ChunkTable chunks,
      ChunkCopier copier,
      Metrics<ChunkserverMetric> metrics,
      MetaserverClient metaserver,
      Supplier<RegisterChunkserverRequest> registration,
      Supplier<HeartbeatRequest> heartbeat,
      Notices notices) {
    this.chunks = chunks;
    this.copier = copier;
    this.metrics = metrics;
    this.clock = metaserver.clock();
    this.metaserver = metaserver;
    this.registration = registration;
    this.heartbeat = heartbeat;
    this.notices = notices;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** What the thread does until the agent is closed. */
  void run() {
    int failures = 0;
    while (!closed) {
      long answered = metrics.get(ChunkserverMetric.HEARTBEATS);
      try {
        while (!closed) {
          serve();
        }
      } catch (IOException e) {
        if (failed(e)) {
          return;
        }
      } catch (RuntimeException e) {
        LOG.error("heartbeat failed", e);
        metrics.increment(ChunkserverMetric.HEARTBEAT_FAILURES);
      } finally {
        metaserver.close();
      }
      failures = metrics.get(ChunkserverMetric.HEARTBEATS) > answered ? 1 : failures + 1;
      long nowNs = clock.nanoTime();
      pause(nowNs + RetryPolicy.DAEMON.waitNs(failures, nowNs));
    }
  }

  /** Returns whether there is no point in another try. */
  private boolean failed(IOException e) {
    metrics.increment(ChunkserverMetric.HEARTBEAT_FAILURES);
    if (e instanceof RemoteException refusal && refusal.status() == Status.UNAUTHENTICATED) {
      metrics.increment(ChunkserverMetric.AUTHENTICATION_FAILURES);
      LOG.error("metaserver and chunkserver do not trust each other: {}", e.getMessage());
      if (!registered) {
        notices.refused(refusal);
      }
      return !registered;
    }
    if (!closed) {
      LOG.debug("metaserver is out of reach", e);
      notices.alone(e);
    }
    return false;
  }

  /** Registers, then heartbeats until the metaserver wants a new registration. */
  private void serve() throws IOException {
    chunks.takeChanged();
    List<ChunkReport> reports = chunks.list("").stream().map(Chunk::report).toList();
    RegisterChunkserverResponse response =
        metaserver.register(registration.get().toBuilder().addAllChunks(reports).build());
    LOG.info(
        "registered rack={} chunks={} unknown={}",
        response.getRack(),
        reports.size(),
        response.getUnknownChunksCount());
    registered = true;
    notices.registered();
    response.getUnknownChunksList().forEach(chunks::deleteChunk);
    boolean known = true;
    while (known && !closed) {
      known = beat(response.getHeartbeatMs());
    }
  }

  /**
   * One heartbeat.
   *
   * @return false when the metaserver does not know this server
   */
  private boolean beat(int heartbeatMs) throws IOException {
    HeartbeatRequest.Builder request = heartbeat.get().toBuilder();
    if (heartbeatMs > 0) {
      // What changes while the metaserver waits is told with the next heartbeat only.
      request.setMaxWaitMs(Math.min(heartbeatMs, request.getMaxWaitMs()));
    }
    chunks.takeChanged().stream()
        .filter(Chunk::isReportable)
        .forEach(chunk -> request.addChanged(chunk.report()));
    request.addAllActiveJobs(chunks.takeActiveJobs());
    request.addAllUnfetched(copier.takeFailed());
    long startNs = clock.nanoTime();
    HeartbeatResponse response = metaserver.heartbeat(request.build());
    metrics.increment(ChunkserverMetric.HEARTBEATS);
    for (String job : response.getDeleteJobsList()) {
      LOG.info("job={} has ended, deleting its chunks", job);
      chunks.deleteJob(job);
      notices.jobEnded(job);
      metrics.increment(ChunkserverMetric.DELETED_JOBS);
    }
    response.getDeleteChunksList().forEach(chunks::deleteChunk);
    response.getCompleteJobsList().forEach(chunks::completeJob);
    chunks.setDraining(response.getDrain());
    response.getFetchChunksList().forEach(copier::submit);
    // A metaserver that does not wait must not make this a busy loop.
    pause(startNs + LEAST_PERIOD_MS * 1_000_000);
    return !response.getRegisterAgain();
  }

  private void pause(long untilNs) {
    try {
      clock.pause(untilNs, "between two heartbeats");
    } catch (InterruptedIOException e) {
      LOG.debug("interrupted={} while waiting, closed={}", Thread.interrupted(), closed, e);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_DEADLINE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
