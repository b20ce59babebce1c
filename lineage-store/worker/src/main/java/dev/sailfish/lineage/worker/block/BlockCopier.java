package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.guard.BoundedPool;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.BlockRef;
import dev.sailfish.lineage.protocol.wire.CopyOrder;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies blocks from other workers, as the master orders, on two threads of its own; each piece's
 * checksums are looked at. The master hears of blocks that are here then, and of those that could
 * not be copied. Thread-safe.
 */
public final class BlockCopier implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockCopier.class);
  private static final int THREADS = 2;
  private static final int MOST_WAITING = 1_000;
  private static final int PIECE = 1 << 20;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final BlockTable blocks;
  private final Changes changes;
  private final Network network;
  private final Credentials credentials;
  private final BoundedPool threads =
      new BoundedPool("lineage-worker-copier", THREADS, MOST_WAITING);
  private final Queue<BlockId> failed = new ConcurrentLinkedQueue<>();

  /**
   * @param changes hears of blocks that are here
   * @param credentials with which it asks other workers
   */
  public BlockCopier(BlockTable blocks, Changes changes, Network network, Credentials credentials) {
    this.blocks = blocks;
    this.changes = changes;
    this.network = network;
    this.credentials = credentials;
  }

  /** Copies a block soon. */
  public void order(CopyOrder order) {
    BlockRef name = order.getBlock();
    BlockId id = new BlockId(name.getFid(), name.getBlock());
    try {
      threads.execute(() -> run(id, order));
    } catch (RejectedExecutionException e) {
      failed.add(id);
    }
  }

  private void run(BlockId id, CopyOrder order) {
    boolean isDone = false;
    try {
      changes.held(id, copy(id, order.getSource(), order.getLength()));
      isDone = true;
    } catch (IOException e) {
      LOG.warn("{} is not copied from {}: {}", id, order.getSource().getHost(), e.toString());
    } finally {
      if (!isDone) {
        failed.add(id);
        blocks.abandon(id);
      }
    }
  }

  private Tier copy(BlockId id, WorkerAddress source, long length) throws IOException {
    Tier there = blocks.tier(id);
    if (there != null && blocks.isSealed(id)) {
      return there;
    }
    blocks.begin(id, length, length, false);
    InetSocketAddress address = new InetSocketAddress(source.getHost(), source.getPort());
    try (Connection connection =
        Connection.open(network, address, "lineage-worker copying", credentials, DEADLINE)) {
      for (long at = 0; at < length; at += PIECE) {
        copy(connection, id, at, (int) Math.min(PIECE, length - at));
      }
    }
    return blocks.seal(id, length);
  }

  private void copy(Connection connection, BlockId id, long offset, int count) throws IOException {
    ReadBlockRequest request =
        ReadBlockRequest.newBuilder()
            .setName(BlockName.newBuilder().setFid(id.fid()).setBlock(id.block()))
            .setOffset(offset)
            .setLength(count)
            .build();
    PayloadReply reply = connection.exchange(WorkerService.READ, request, new PayloadReply(PIECE));
    byte[] bytes = reply.bytes();
    if (bytes.length != count) {
      throw new EOFException(
          "the other worker gave %d bytes at %d, not %d".formatted(bytes.length, offset, count));
    }
    ReadBlockResponse response = ReadBlockResponse.parseFrom(reply.header());
    int[] sums = response.getChecksumsList().stream().mapToInt(sum -> sum).toArray();
    OpenBlock block = blocks.requireOpen(id);
    if (!block.retain()) {
      throw new RequestRefusedException(Status.NOT_HELD, id + " was given up meanwhile");
    }
    try {
      block.room(offset, count).put(bytes);
      block.written(offset, count, sums);
    } finally {
      block.release();
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
