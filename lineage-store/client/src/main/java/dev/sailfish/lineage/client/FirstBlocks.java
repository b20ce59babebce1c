package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;

/**
 * Has the first block of a file begun while the master is asked for the file: by the worker that
 * had the one of the file before, if that is on this host and asks for no token. Thread-safe.
 */
final class FirstBlocks {
  private final BlockAccess access;

  /**
   * Who had the first block of the file that was written last; null: it had none, or needs more.
   */
  private volatile WorkerAddress last;

  FirstBlocks(BlockAccess access) {
    this.access = access;
  }

  /** The first block of a file was begun at a worker; null: it had none, or was given a token. */
  void begun(WorkerAddress worker) {
    last = worker;
  }

  /**
   * Asks for a block, without a wait.
   *
   * @param file that is to be begun, with its id
   * @return null if it is not worth it
   */
  BlockAhead ahead(CreateFile file) {
    WorkerAddress worker = last;
    long capacity = 1L << file.getBlockSizeLog();
    BlockName name = BlockName.newBuilder().setFid(file.getFid()).build();
    return worker == null
        ? null
        : access.beginAhead(worker, name, capacity, Math.min(capacity, BlocksBody.FIRST_ROOM));
  }
}
