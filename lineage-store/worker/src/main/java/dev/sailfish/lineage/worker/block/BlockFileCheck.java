package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.file.SegmentFileName;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/** Compares the file of a sealed block with its checksums. */
public final class BlockFileCheck {
  private static final int PIECE = 16 * BlockTail.UNIT;

  private BlockFileCheck() {}

  /** What is wrong with it, if anything is. */
  public static Optional<String> damage(Path file, SegmentFileName name) {
    Optional<BlockId> id = BlockId.ofSegment(name.segment());
    if (id.isEmpty()) {
      return Optional.of("no block: " + file);
    }
    try (FileChannel channel = FileChannel.open(file)) {
      if (channel.size() < name.length()) {
        return Optional.of(
            "block is cut: file=%s bytes=%d, not %d"
                .formatted(file, channel.size(), name.length()));
      }
      verify(id.get(), channel, name.length());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e.getMessage() + ": file=" + file);
    }
  }

  /**
   * Reads a block.
   *
   * @throws DamagedBlockException when it is not what was written
   */
  static void verify(BlockId id, FileChannel channel, long fileLength) throws IOException {
    BlockTail tail = BlockTable.readTail(id, channel, fileLength);
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    for (long at = 0; at < tail.length(); at += piece.capacity()) {
      piece.clear().limit((int) Math.min(piece.capacity(), tail.length() - at));
      BlockTable.read(channel, piece, at);
      tail.verify(at, piece.flip());
    }
  }
}
