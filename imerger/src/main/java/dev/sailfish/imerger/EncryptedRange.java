package dev.sailfish.imerger;

import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the blocks of an encrypted chunk that may hold keys of a range. Its server cannot, because
 * it has the keys in the index only encrypted.
 */
final class EncryptedRange {
  private final byte[] lower;
  private final byte[] upper;

  /**
   * @param lower normalized key that the range begins with, or null
   * @param upper normalized key behind the range, or null
   */
  EncryptedRange(byte[] lower, byte[] upper) {
    // The keys in the index are cut.
    this.lower =
        lower == null
            ? new byte[0]
            : Arrays.copyOf(lower, Math.min(lower.length, ChunkTail.MAX_KEY_LENGTH));
    this.upper = upper;
  }

  /**
   * Adds a run for each run of the chunk that may hold keys of the range.
   *
   * @throws LostBlocksException when the index is damaged
   */
  void addRuns(SortedChunk chunk, List<RunCursor> runs) throws IOException {
    ChunkTail tail;
    try {
      tail = decrypted(chunk);
    } catch (FormatException e) {
      throw chunk.lost(new IOException("keys of its index: " + e.getMessage(), e));
    }
    ChunkIndex index = chunk.index();
    for (int run = 0; run < index.runs(); run++) {
      int from = index.runStart(run);
      int to = index.runStart(run + 1);
      // The block before the first key that is not below may end with keys that are not, either.
      int first = Math.max(from, tail.firstEntry(run, lower));
      int end = upper == null ? to : tail.endEntry(run, upper);
      if (first < end) {
        runs.add(new ChunkRun(chunk, run, first, end));
      }
    }
  }

  private static ChunkTail decrypted(SortedChunk chunk) throws IOException {
    ChunkTail tail = chunk.index().encryptedTail();
    if (tail == null) {
      throw new CorruptFormatException("they are not encrypted, and the job is");
    }
    byte[] keys = tail.encryptedKeys();
    byte[] plain = new byte[keys.length - BlockHeader.ENCRYPTION_OVERHEAD];
    DataCipher cipher = chunk.session().cipher();
    cipher
        .ofIndex(chunk.session().partition(), chunk.id(), tail.offset())
        .decrypt(ByteBuffer.wrap(keys), 0, keys.length, ByteBuffer.wrap(plain), 0);
    return tail.withKeys(plain);
  }
}
