package dev.sailfish.chunkserver.rehearsal;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Memory for the first chunks. The first touch of a page costs more than all that a block needs
 * later; here it is done before a job comes, and the block store keeps the pages for chunks until
 * it has been idle for long. They count as pooled there, and anyone who needs the room gets it.
 */
final class WarmMemory {
  /** What metaservers give a chunk when they are told nothing else. */
  private static final long USUAL_CHUNK_BYTES = 128L << 20;

  /** Of each file; of a job of middle size a chunk has as much. */
  private static final long FILE_BYTES = 64L << 20;

  /** Between two looks at whether a job has come: some 10 ms. */
  private static final int STEP_BYTES = 4 << 20;

  private static final int PAGE_BYTES = 4096;

  private final Owner store;
  private final BooleanSupplier goesOn;
  private final List<Segment> segments = new ArrayList<>();
  // Of all bytes that were read: so that the compiler does not leave the reads out.
  private int touched;

  WarmMemory(Owner store, BooleanSupplier goesOn) {
    this.store = store;
    this.goesOn = goesOn;
  }

  /**
   * Makes memory warm and leaves it to the store; less when the tier has less room, or a job comes.
   *
   * @return how many bytes
   */
  long warm(long bytes) {
    long warmed = 0;
    try {
      long last = -1;
      while (warmed < bytes && warmed != last) {
        last = warmed;
        warmed += warmFile(Math.min(FILE_BYTES, bytes - warmed));
      }
    } finally {
      segments.forEach(Segment::delete);
    }
    return warmed;
  }

  private long warmFile(long bytes) {
    if (!goesOn.getAsBoolean()) {
      return 0;
    }
    ChunkSpec usual =
        new ChunkSpec(
            ScratchServer.JOB, 0, 0, Ordering.NORMALIZED, CodecId.NONE, USUAL_CHUNK_BYTES, false);
    Segment segment;
    try {
      // Named as the output of a sort: who finds it after a crash deletes it.
      String name = SegmentName.forOutput(usual.job(), usual.id());
      segment = store.allocate(name, usual.segmentCapacity(0), 1, Tier.MEMORY);
    } catch (NoSpaceException e) {
      return 0;
    }
    segments.add(segment);
    ByteBuffer mapped = segment.buffer();
    int warmed = 0;
    while (warmed < bytes && segment.tier() == Tier.MEMORY && goesOn.getAsBoolean()) {
      int step = (int) Math.min(STEP_BYTES, bytes - warmed);
      if (!segment.ensure(warmed + step)) {
        return warmed;
      }
      touch(mapped, warmed, step);
      warmed += step;
    }
    return warmed;
  }

  /** Has the pages entered in the process' tables, too. */
  private void touch(ByteBuffer mapped, int from, int count) {
    for (int at = from; at < from + count; at += PAGE_BYTES) {
      touched |= mapped.get(at);
    }
  }
}
