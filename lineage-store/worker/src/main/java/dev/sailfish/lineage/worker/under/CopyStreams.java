package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.BlockId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The copies that clients are writing, one of each file at most. Nothing waits. Thread-safe. */
public final class CopyStreams {
  private final UnderAccess access;
  private final BlockAppender appender;
  private final Recorder recorder;
  private final Metrics<LineageWorkerMetric> metrics;
  private final int most;
  private final long silenceNs;
  private final Map<Long, CopyStream> streams = new HashMap<>();

  /**
   * @param most how many there may be at once
   * @param silenceNs after which it is asked whether a copy is still written
   */
  CopyStreams(
      UnderAccess access,
      BlockAppender appender,
      Recorder recorder,
      Metrics<LineageWorkerMetric> metrics,
      int most,
      long silenceNs) {
    this.access = access;
    this.appender = appender;
    this.recorder = recorder;
    this.metrics = metrics;
    this.most = most;
    this.silenceNs = silenceNs;
  }

  /** Begins a copy; one of that file that was begun before is given up. */
  public CompletableFuture<Void> begin(long fid) {
    CopyStream stream = new CopyStream(fid, access, appender, recorder);
    CopyStream former;
    synchronized (this) {
      former = streams.get(fid);
      if (former == null && streams.size() >= most) {
        return CompletableFuture.failedFuture(
            new RequestRefusedException(
                Status.BUSY,
                "%d copies are being written at this worker, as many as it takes: try again later"
                    .formatted(most)));
      }
      streams.put(fid, stream);
    }
    if (former != null) {
      former.abandon("it was begun again");
    }
    return stream
        .begin()
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                metrics.increment(LineageWorkerMetric.COPIES_FAILED);
                forget(fid, stream);
              }
            });
  }

  /**
   * Room for the next bytes of a copy.
   *
   * @throws RequestRefusedException NOT_HELD when no such copy is written here; BAD_REQUEST when
   *     there are too many bytes
   */
  public CopyPiece piece(long fid, int length) throws RequestRefusedException {
    CopyStream stream = require(fid);
    return new CopyPiece(stream, stream.room(length));
  }

  /**
   * The next bytes of a copy are those of a block.
   *
   * @param place where it is, as the client says; of use if it is not here
   */
  public CompletableFuture<Void> append(BlockId block, long length, int place)
      throws RequestRefusedException {
    return require(block.fid()).append(block, length, place);
  }

  private CopyStream require(long fid) throws RequestRefusedException {
    CopyStream stream;
    synchronized (this) {
      stream = streams.get(fid);
    }
    if (stream == null) {
      throw new RequestRefusedException(
          Status.NOT_HELD,
          "no copy of fid=%016x is being written at this worker: begin it again".formatted(fid));
    }
    return stream;
  }

  /** Ends a copy: answered when it counts. */
  public CompletableFuture<Void> end(long fid, long length) throws RequestRefusedException {
    CopyStream stream = require(fid);
    return stream
        .end(length)
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                metrics.increment(LineageWorkerMetric.COPIES_FAILED);
              }
              forget(fid, stream);
            });
  }

  /** Gives a copy up; nothing if there is none. */
  public CompletableFuture<Void> abandon(long fid) {
    CopyStream stream;
    synchronized (this) {
      stream = streams.get(fid);
    }
    if (stream == null) {
      return CompletableFuture.completedFuture(null);
    }
    metrics.increment(LineageWorkerMetric.COPIES_FAILED);
    return stream
        .abandon("its writer has given it up")
        .whenComplete((done, failed) -> forget(fid, stream));
  }

  private synchronized void forget(long fid, CopyStream stream) {
    if (stream.isOver()) {
      streams.remove(fid, stream);
    }
  }

  /** To be called about each second. */
  void tick() {
    List<Map.Entry<Long, CopyStream>> all;
    synchronized (this) {
      all = List.copyOf(new HashMap<>(streams).entrySet());
    }
    for (Map.Entry<Long, CopyStream> one : all) {
      one.getValue().look(silenceNs);
      forget(one.getKey(), one.getValue());
    }
  }

  /** Gives all of them up; done when their writers are closed. */
  CompletableFuture<Void> abandonAll() {
    List<CopyStream> all;
    synchronized (this) {
      all = List.copyOf(streams.values());
    }
    return CompletableFuture.allOf(
        all.stream()
            .map(stream -> stream.abandon("the worker ends"))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** How many are being written. */
  public synchronized int size() {
    return streams.size();
  }
}
