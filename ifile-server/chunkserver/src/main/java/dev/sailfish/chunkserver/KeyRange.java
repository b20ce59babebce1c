package dev.sailfish.chunkserver;

import dev.sailfish.format.ChunkTail;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.ReadRangeRequest;
import dev.sailfish.transport.RequestRefusedException;
import java.util.Arrays;

/**
 * The blocks of one run of a sorted chunk that a READ_RANGE gets. The index has the first key of
 * each block, cut to {@link ChunkTail#MAX_KEY_LENGTH}, so a cut key is at most the true one:
 *
 * <ul>
 *   <li>the range begins with the last block before those whose key is not below the (cut) lower
 *       key: that block may end with keys that are not below it;
 *   <li>it ends before the first block whose key is not below the upper key: neither is its true
 *       key.
 * </ul>
 *
 * @param offset of the first block in the chunk
 * @param length of all blocks together; 0 when the range is empty
 * @param nextEntry index entry to ask for next, or 0 when the range is done
 */
record KeyRange(long offset, int length, int nextEntry) {
  /**
   * Finds the blocks.
   *
   * @param keys lower key and upper key, if any, one behind the other
   */
  static KeyRange find(ChunkTail tail, ReadRangeRequest request, byte[] keys)
      throws RequestRefusedException {
    int lowerLength = request.getLowerLength();
    if (lowerLength < 0
        || lowerLength > keys.length
        || (!request.getHasUpper() && lowerLength != keys.length)) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "keys do not fit: lower_length=%s has_upper=%s payload=%s"
              .formatted(lowerLength, request.getHasUpper(), keys.length));
    }
    if (request.getRun() < 0 || request.getRun() >= tail.runs()) {
      return new KeyRange(0, 0, 0);
    }
    int first = tail.firstEntry(request.getRun(), Arrays.copyOf(keys, lowerLength));
    int end = tail.runStart(request.getRun() + 1);
    if (request.getHasUpper()) {
      byte[] upper = Arrays.copyOfRange(keys, lowerLength, keys.length);
      end = tail.endEntry(request.getRun(), upper);
    }
    return blocks(tail, Math.max(first, request.getFromEntry()), end, request.getMaxBytes());
  }

  /** As many blocks as fit, but at least one: a block may be longer than any limit. */
  private static KeyRange blocks(ChunkTail tail, int first, int end, int maxBytes) {
    if (first >= end) {
      return new KeyRange(0, 0, 0);
    }
    long offset = tail.entryOffset(first);
    long length = tail.entryLength(first);
    int next = first + 1;
    while (next < end
        && tail.entryOffset(next) == offset + length
        && length + tail.entryLength(next) <= maxBytes) {
      length += tail.entryLength(next);
      next++;
    }
    return new KeyRange(offset, (int) length, next < end ? next : 0);
  }
}
