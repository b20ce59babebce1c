package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.BlockRef;
import dev.sailfish.lineage.protocol.wire.CopyOrder;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies blocks from other workers: as the master orders, on two threads of its own, and for who
 * waits. Each piece's checksums are looked at. The master hears of blocks that are here then, and
 * of those that it ordered and that could not be copied. Thread-safe.
 */
public final class PeerCopier implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCopier.class);
  private static final int THREADS = 2;
  private static final int MOST_WAITING = 1_000;
  private static final int PIECE = 16 * BlockTail.UNIT;

  private final BlockTable blocks;
  private final Arrivals arrivals;
  private final Changes changes;
  private final Peers peers;
  private final BoundedPool threads =
      new BoundedPool("lineage-worker-copier", THREADS, MOST_WAITING);
  private final Queue<BlockId> failed = new ConcurrentLinkedQueue<>();

  /**
   * @param changes hears of blocks that are here
   */
  public PeerCopier(BlockTable blocks, Arrivals arrivals, Changes changes, Peers peers) {
    this.blocks = blocks;
    this.arrivals = arrivals;
    this.changes = changes;
    this.peers = peers;
  }

  /** Copies a block soon. */
  public void order(CopyOrder order) {
    BlockRef name = order.getBlock();
    BlockId id = new BlockId(name.getFid(), name.getBlock());
    arrivals
        .of(id, answer -> begin(id, order, answer))
        .whenComplete(
            (tier, failure) -> {
              if (failure == null) {
                changes.held(id, tier);
              } else {
                LOG.warn("{} is not copied from {}", id, order.getSource().getHost(), failure);
                failed.add(id);
              }
            });
  }

  private void begin(BlockId id, CopyOrder order, CompletableFuture<Tier> answer) {
    try {
      threads.execute(
          () -> {
            try {
              answer.complete(copy(id, List.of(order.getSource()), order.getLength(), false));
            } catch (IOException | RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(e);
    }
  }

  /**
   * Copies a block, and has the master hear that it is here. Waits for other workers, each with a
   * deadline.
   *
   * @param sources workers that have it; one that fails in the middle is passed over for the next,
   *     which goes on from there
   * @param length of the block, in bytes
   * @param isInMemory whether it is to be in memory or not at all
   * @return the tier that it is in
   * @throws dev.sailfish.blockstore.NoSpaceException when there is no room
   */
  public Tier copy(BlockId id, List<WorkerAddress> sources, long length, boolean isInMemory)
      throws IOException {
    Tier there = blocks.sealedTier(id);
    if (there != null) {
      return there;
    }
    if (isInMemory) {
      blocks.beginInMemory(id, length);
    } else {
      blocks.begin(id, length, length, false);
    }
    boolean isDone = false;
    try {
      fill(id, sources, length);
      Tier tier = blocks.seal(id, length);
      changes.held(id, tier);
      isDone = true;
      return tier;
    } finally {
      if (!isDone) {
        blocks.abandon(id);
      }
    }
  }

  private void fill(BlockId id, List<WorkerAddress> sources, long length) throws IOException {
    OpenBlock block = blocks.requireOpen(id);
    if (!block.retain()) {
      throw new RequestRefusedException(Status.NOT_HELD, id + " was given up meanwhile");
    }
    IOException none =
        new RequestRefusedException(Status.NOT_HELD, "no other worker gives all of " + id);
    try {
      for (WorkerAddress source : sources) {
        try (PeerBlock peer = new PeerBlock(peers.connect(source), id)) {
          append(block, peer, length);
          return;
        } catch (IOException e) {
          none.addSuppressed(e);
        }
      }
      throw none;
    } finally {
      block.release();
    }
  }

  private static void append(OpenBlock block, PeerBlock peer, long length) throws IOException {
    for (long at = block.length(); at < length; at = block.length()) {
      int count = (int) Math.min(PIECE, length - at);
      block.written(at, count, peer.take(at, block.room(at, count)));
    }
  }

  /** Takes the blocks that could not be copied since this was called last. */
  public List<BlockRef> takeFailed() {
    List<BlockRef> taken = new ArrayList<>();
    for (BlockId id = failed.poll(); id != null; id = failed.poll()) {
      taken.add(BlockRef.newBuilder().setFid(id.fid()).setBlock(id.block()).build());
    }
    return taken;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
