package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.Segment;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.protocol.ChunkState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * A chunk that an earlier process, or another server, has made. It takes no more blocks; those that
 * it holds are acknowledged when they are sent again.
 *
 * @param state STABLE or SORTED
 * @param segment that it is in; sealed when it is SORTED; belongs to the chunk from here on
 * @param end where its blocks end
 * @param shared who has a part in the segment, if others have one, too; else null
 */
public record RecoveredChunk(
    ChunkSpec spec,
    ChunkState state,
    Segment segment,
    HeldBlocks held,
    int end,
    SharedFile shared) {

  /** A STABLE chunk. */
  public static RecoveredChunk stable(ChunkSpec spec, Segment segment, HeldBlocks held, int end) {
    return new RecoveredChunk(spec, ChunkState.STABLE, segment, held, end, null);
  }

  /**
   * The SORTED chunks in a file, of which {@code header} and {@code tail} were read.
   *
   * @param take whether a chunk with this id is to be among them
   * @param wanted the one that the metaserver has asked for; null: all are wanted here
   */
  public static List<RecoveredChunk> sorted(
      ChunkHeader header, ChunkTail tail, Segment segment, LongPredicate take, Long wanted) {
    Map<Long, HeldBlocks> held = new TreeMap<>();
    long rawBytes = 0;
    for (int source = 0; source < tail.sources(); source++) {
      long chunk = tail.sourceChunk(source, header.chunkId());
      held.computeIfAbsent(chunk, id -> new HeldBlocks())
          .add(
              tail.sourceMap(source),
              tail.sourceAttempt(source),
              tail.sourceSequence(source),
              tail.sourceRecords(source),
              tail.sourceRawLength(source));
      rawBytes += tail.sourceRawLength(source);
    }
    if (!tail.isShared()) {
      held.putIfAbsent(header.chunkId(), new HeldBlocks());
    }
    held.keySet().removeIf(id -> !take.test(id));
    Collection<Long> asked = wanted == null ? held.keySet() : List.of(wanted);
    SharedFile shared = tail.isShared() ? new SharedFile(held.keySet(), asked, rawBytes) : null;
    int end = (int) tail.offset();
    List<RecoveredChunk> chunks = new ArrayList<>();
    held.forEach(
        (id, blocks) -> {
          ChunkSpec spec = ChunkSpec.of(header.withChunkId(id), blocks.rawBytes());
          chunks.add(new RecoveredChunk(spec, ChunkState.SORTED, segment, blocks, end, shared));
        });
    return chunks;
  }
}
