package dev.sailfish.chunkserver.sort;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.FormatException;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import java.nio.ByteBuffer;

/**
 * Sorts a chunk over itself, through memory beside the tiers.
 *
 * <p>For when no tier has room for a sorted copy. Chunks that wait for their sort may fill all
 * tiers; each of them gives its room back only once it is sorted, so without this none ever would.
 * One chunk is sorted so at a time, and the memory for it, about what the largest chunk has, is
 * kept until {@link #rest}.
 *
 * <p>A process that dies while the sorted bytes are copied leaves a chunk in which recovery finds
 * fewer blocks than were acknowledged; readers are told which are missing.
 */
final class InPlaceSort {
  private volatile ByteBuffer staging = ByteBuffer.allocateDirect(0);

  /**
   * Sorts the chunk and ends its sort; one caller at a time, others wait.
   *
   * @param bound how long the chunk may become, in bytes
   * @return null when the sorted chunk is longer than its segment can become; the chunk is as it
   *     was
   * @throws RequestRefusedException NO_SPACE when there is no memory for it
   */
  synchronized SortResult sort(
      Sorter sorter, Chunk chunk, Chunk.Unsorted unsorted, DataCipher cipher, long bound)
      throws FormatException, RequestRefusedException {
    ByteBuffer output = stagingOf(chunk, bound);
    Segment segment = unsorted.segment();
    SortResult result = sorter.sort(segment.buffer(), unsorted.length(), output, cipher);
    if (!chunk.growForSort(result.length())) {
      return null;
    }
    segment.buffer().put(output.duplicate().clear().limit(result.length()));
    chunk.endSort(segment, result, null);
    return result;
  }

  private ByteBuffer stagingOf(Chunk chunk, long bound) throws RequestRefusedException {
    ByteBuffer kept = staging;
    if (kept.capacity() >= bound) {
      return kept;
    }
    rest();
    String why = "one buffer cannot be as large";
    try {
      if (bound <= Segment.MAX_CAPACITY) {
        // Not on the heap: the sorter's loops have seen direct buffers only, and are fast for it.
        ByteBuffer fresh = ByteBuffer.allocateDirect((int) bound);
        staging = fresh;
        return fresh;
      }
    } catch (OutOfMemoryError e) {
      why = e.getMessage();
    }
    throw new RequestRefusedException(
        Status.NO_SPACE,
        ("no tier has room for a sorted copy of %s, and there is no memory to sort it in place:"
                + " bytes=%s: %s")
            .formatted(chunk.spec().label(), bound, why));
  }

  /** There is room in the tiers again: the memory is not needed for now. Never waits. */
  void rest() {
    if (staging.capacity() > 0) {
      staging = ByteBuffer.allocateDirect(0);
    }
  }
}
