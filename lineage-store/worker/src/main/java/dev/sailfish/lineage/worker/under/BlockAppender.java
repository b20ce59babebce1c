package dev.sailfish.lineage.worker.under;

import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.PeerBlock;
import dev.sailfish.lineage.worker.block.Peers;
import dev.sailfish.lineage.worker.block.PieceSource;
import dev.sailfish.lineage.worker.block.StoredBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Copies blocks below: those that are here out of this store, others over the network. */
final class BlockAppender {
  private static final int PIECE = 16 * BlockTail.UNIT;

  private final BlockTable blocks;
  private final Peers peers;

  BlockAppender(BlockTable blocks, Peers peers) {
    this.blocks = blocks;
    this.peers = peers;
  }

  /**
   * Appends a block to a copy. A place that fails in the middle is passed over for the next one,
   * which goes on from there.
   *
   * @param length of the block
   * @param workers that may have it, if it is not here
   */
  void append(CopyWriter copy, BlockId id, long length, List<WorkerAddress> workers)
      throws IOException {
    Progress progress = new Progress(id, length);
    progress.from(() -> new StoredBlock(blocks, id), copy);
    for (WorkerAddress worker : workers) {
      progress.from(() -> new PeerBlock(peers.connect(worker), id), copy);
    }
    progress.requireEnd();
  }

  /**
   * The same.
   *
   * @param worker finds the one that has the block, if it is not here; is not asked otherwise
   */
  void append(CopyWriter copy, BlockId id, long length, Finding worker) throws IOException {
    Progress progress = new Progress(id, length);
    progress.from(() -> new StoredBlock(blocks, id), copy);
    progress.from(() -> new PeerBlock(peers.connect(worker.find()), id), copy);
    progress.requireEnd();
  }

  /** Says where a worker is. */
  @FunctionalInterface
  interface Finding {
    /** Asks, and waits. */
    WorkerAddress find() throws IOException;
  }

  private interface Opening {
    PieceSource open() throws IOException;
  }

  /** How far one block has come. */
  private static final class Progress {
    private final BlockId id;
    private final long length;
    private final ByteBuffer piece;
    private final IOException none;
    private long done;

    Progress(BlockId id, long length) {
      this.id = id;
      this.length = length;
      this.piece = ByteBuffer.allocateDirect((int) Math.min(PIECE, Math.max(1, length)));
      this.none = new IOException("no worker gives " + id);
    }

    /** As far as one place gives it. Only what goes wrong below is thrown. */
    void from(Opening place, CopyWriter copy) throws IOException {
      if (done == length) {
        return;
      }
      PieceSource source;
      try {
        source = place.open();
      } catch (IOException e) {
        none.addSuppressed(e);
        return;
      }
      try (source) {
        while (done < length && isRead(source)) {
          done += piece.remaining();
          copy.write(piece);
        }
      }
    }

    private boolean isRead(PieceSource source) {
      piece.clear().limit((int) Math.min(piece.capacity(), length - done));
      try {
        source.read(done, piece);
        piece.flip();
        return true;
      } catch (IOException e) {
        none.addSuppressed(e);
        return false;
      }
    }

    void requireEnd() throws IOException {
      if (done < length) {
        Throwable[] failures = none.getSuppressed();
        throw new IOException(
            "no worker gives %s: %s; read it again when its worker is back"
                .formatted(id, failures[failures.length - 1].getMessage()),
            none);
      }
    }
  }
}
