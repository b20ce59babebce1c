package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.ChunkTail;
import dev.sailfish.protocol.ChunkState;

/**
 * A chunk that an earlier process, or another server, has made. It takes no more blocks; those that
 * it holds are acknowledged when they are sent again.
 *
 * @param state STABLE or SORTED
 * @param segment that it is in; sealed when it is SORTED; belongs to the chunk from here on
 * @param end where its blocks end
 */
public record RecoveredChunk(
    ChunkSpec spec, ChunkState state, Segment segment, HeldBlocks held, int end) {

  /** A SORTED chunk, of which {@code header} and {@code tail} were read. */
  public static RecoveredChunk sorted(ChunkHeader header, ChunkTail tail, Segment segment) {
    HeldBlocks held = new HeldBlocks();
    for (int source = 0; source < tail.sources(); source++) {
      held.add(
          tail.sourceMap(source),
          tail.sourceAttempt(source),
          tail.sourceSequence(source),
          tail.sourceRecords(source),
          tail.sourceRawLength(source));
    }
    ChunkSpec spec = ChunkSpec.of(header, tail.rawBytes());
    return new RecoveredChunk(spec, ChunkState.SORTED, segment, held, (int) tail.offset());
  }
}
