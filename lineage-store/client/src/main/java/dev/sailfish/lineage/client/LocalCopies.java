package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.LoadsAhead.Loaded;
import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;

/**
 * Blocks of an open file that a stream reads from another host, and that the worker on this host
 * copies meanwhile; where a copy is there, the stream goes on from it. What the worker does not
 * copy, because it has no room or too much to do, is read elsewhere without a word. For one thread.
 */
final class LocalCopies {
  private final BlockAccess access;
  private final FileGrant grant;
  private final boolean isWanted;
  private final LoadsAhead copies;
  private volatile WorkerAddress near;

  /**
   * @param grant of the file
   * @param isWanted whether the reader leaves copies at all
   */
  LocalCopies(BlockAccess access, FileGrant grant, boolean isWanted, Background background) {
    this.access = access;
    this.grant = grant;
    this.isWanted = isWanted;
    this.copies = new LoadsAhead(background, this::ask);
  }

  /** The worker on this host, as the master says; null: there is none. */
  void near(WorkerAddress worker) {
    near = worker;
  }

  private Loaded ask(int block) throws IOException {
    WorkerAddress worker = near;
    return new Loaded(worker, grant.with(() -> access.copyBlock(worker, grant.name(block))));
  }

  /** Has a block copied that is read from another host, once. */
  void begin(int block) {
    if (isWanted && near != null) {
      copies.begin(block);
    }
  }

  /** Where a copy is that was begun; null when it is not there, or not yet. */
  Loaded done(int block) {
    return copies.done(block);
  }
}
