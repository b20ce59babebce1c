package dev.sailfish.lineage.worker.under;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import dev.sailfish.lineage.worker.block.Arrivals;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.OpenBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Loads blocks from below; who asks for one that is being loaded waits for the same. Nothing waits
 * on the caller's thread. Thread-safe.
 */
public final class BlockLoads {
  private final UnderAccess access;
  private final UnderFiles files;
  private final Readers readers;
  private final Arrivals arrivals;
  private final BlockTable blocks;
  private final Metrics<LineageWorkerMetric> metrics;

  BlockLoads(
      UnderAccess access,
      UnderFiles files,
      Readers readers,
      Arrivals arrivals,
      BlockTable blocks,
      Metrics<LineageWorkerMetric> metrics) {
    this.access = access;
    this.files = files;
    this.readers = readers;
    this.arrivals = arrivals;
    this.blocks = blocks;
    this.metrics = metrics;
  }

  /**
   * Has a block here.
   *
   * @return the tier that it is in; fails with NO_SPACE at once when no tier has room, and with
   *     CONFLICT when the file below is not the one that was recorded
   */
  public CompletableFuture<Tier> load(BlockId id) {
    return arrivals.of(
        id,
        answer ->
            attempt(
                answer,
                () ->
                    access
                        .lookups()
                        .execute(() -> attempt(answer, () -> findAndLoad(id, answer)))));
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void attempt(CompletableFuture<Tier> answer, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(Failures.refusal(e));
    }
  }

  private void findAndLoad(BlockId id, CompletableFuture<Tier> answer) throws IOException {
    Below file = files.find(id.fid());
    file.copy();
    access
        .pools()
        .calls(file.mount())
        .execute(() -> attempt(answer, () -> answer.complete(load(file, id))));
  }

  /** Waits for the under store. */
  private Tier load(Below file, BlockId id) throws IOException {
    Tier here = blocks.sealedTier(id); // loaded between the question and now
    if (here != null) {
      return here;
    }
    FileEntry entry = file.entry();
    long start = id.block() * entry.getBlockSize();
    long length = Math.min(entry.getBlockSize(), entry.getLength() - start);
    if (id.block() < 0 || length <= 0) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "%s has %d bytes in blocks of %d, and no %s"
              .formatted(file, entry.getLength(), entry.getBlockSize(), id));
    }
    blocks.begin(id, length, length, false);
    boolean isLoaded = false;
    try {
      readers.with(
          file,
          reader -> {
            fill(id, reader, start, length);
            return null;
          });
      Tier tier = blocks.sealLoaded(id, length);
      isLoaded = true;
      metrics.increment(LineageWorkerMetric.BLOCKS_LOADED);
      metrics.add(LineageWorkerMetric.LOADED_BYTES, length);
      return tier;
    } finally {
      if (!isLoaded) {
        blocks.abandon(id);
      }
    }
  }

  /** Reads the block's bytes; from its beginning again when the file was opened anew. */
  private void fill(BlockId id, UnderReader reader, long start, long length) throws IOException {
    OpenBlock block = blocks.requireOpen(id);
    if (!block.retain()) {
      throw new RequestRefusedException(
          Status.NOT_HELD, id + " was given up while it was loaded: its file is gone");
    }
    try {
      for (long done = block.length(); done < length; ) {
        int count = (int) Math.min(16 * BlockTail.UNIT, length - done);
        ByteBuffer room = block.room(done, count);
        int read = reader.read(start + done, room);
        if (read < count) {
          throw new UnderStoreException(
              Reason.CHANGED, "it ends at " + (start + done + read) + " now");
        }
        block.loaded(done, count);
        done += count;
      }
      reader.requireUnchanged();
    } finally {
      block.release();
    }
  }
}
