package dev.sailfish.lineage.worker.under;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.Arrivals;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.PeerCopier;
import dev.sailfish.lineage.worker.block.Spares;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Copies of blocks of other workers that readers on this host leave here, so that a file that many
 * read is read from many hosts (the Tachyon report's answer to hot spots, section 3.8, question 3).
 * In memory alone, where it has room for copies; the master is asked where the block is, so that no
 * reader's word counts. Nothing waits on the caller's thread. Thread-safe.
 */
public final class PeerLoads implements Closeable {
  private static final int THREADS = 2;
  private static final int MOST_WAITING = 64;

  private final MasterCalls master;
  private final Arrivals arrivals;
  private final PeerCopier copier;
  private final Spares spares;
  private final Metrics<LineageWorkerMetric> metrics;
  private final BoundedPool threads =
      new BoundedPool("lineage-worker-peer-loads", THREADS, MOST_WAITING);

  PeerLoads(
      MasterCalls master,
      Arrivals arrivals,
      PeerCopier copier,
      Spares spares,
      Metrics<LineageWorkerMetric> metrics) {
    this.master = master;
    this.arrivals = arrivals;
    this.copier = copier;
    this.spares = spares;
    this.metrics = metrics;
  }

  /**
   * Has a block here that other workers have.
   *
   * @return the tier that it is in; fails with NO_SPACE at once when there is no room for copies,
   *     with BUSY when too many are to be made, and with NOT_HELD when no other worker gives it
   */
  public CompletableFuture<Tier> load(BlockId id) {
    return arrivals.of(
        id,
        answer -> {
          try {
            threads.execute(() -> run(id, answer));
          } catch (RejectedExecutionException e) {
            answer.completeExceptionally(
                new RequestRefusedException(
                    Status.BUSY,
                    MOST_WAITING + " blocks are to be copied here: read it elsewhere"));
          }
        });
  }

  private void run(BlockId id, CompletableFuture<Tier> answer) {
    try {
      answer.complete(copy(id));
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
  }

  private Tier copy(BlockId id) throws IOException {
    OpenFileResponse told = master.locate(id.fid(), id.block(), 1);
    FileEntry entry = told.getEntry();
    long length =
        Math.min(entry.getBlockSize(), entry.getLength() - id.block() * entry.getBlockSize());
    List<WorkerAddress> holders = Located.of(told).holders(id.block());
    if (!entry.getComplete() || length <= 0 || holders.isEmpty()) {
      throw new RequestRefusedException(Status.NOT_HELD, "no other worker has " + id);
    }
    if (!spares.admits(length)) {
      throw new RequestRefusedException(
          Status.NO_SPACE, "there is no room for a copy of %s: bytes=%d".formatted(id, length));
    }
    Tier tier = copier.copy(id, holders, length, true);
    spares.add(id);
    metrics.increment(LineageWorkerMetric.LOCAL_COPIES);
    metrics.add(LineageWorkerMetric.LOCAL_COPY_BYTES, length);
    return tier;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
