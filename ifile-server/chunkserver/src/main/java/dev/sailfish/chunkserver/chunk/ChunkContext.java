package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.metrics.Metrics;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What all chunks of a server use.
 *
 * @param store for their segments
 * @param heldHeap for what they keep of their blocks
 * @param changed hears that there is something new to report of a chunk; called with the chunk's
 *     monitor held, must not wait
 * @param threadCpuNs CPU that the calling thread has used, in nanoseconds
 */
public record ChunkContext(
    Owner store,
    SortScheduler sorts,
    Metrics<ChunkserverMetric> metrics,
    HeldHeap heldHeap,
    Consumer<Chunk> changed,
    LongSupplier threadCpuNs) {
  /**
   * For a chunk that begins: a segment in memory, when all that the chunk will probably become has
   * room there, which is claimed, or when there is no room on disk.
   *
   * @param expected what the chunk will probably become, in bytes; 0 = not known
   * @param needed what is ensured, in bytes
   */
  Segment allocate(ChunkSpec spec, long expected, long needed) throws NoSpaceException {
    String name = SegmentName.forBlocks(spec);
    long capacity = spec.segmentCapacity(needed);
    long claimed = Math.min(expected, capacity);
    Segment first = store.allocate(name, capacity, needed, Tier.MEMORY);
    if (first.tier() != Tier.MEMORY || claimed <= needed || first.claim(claimed)) {
      return first;
    }
    first.delete();
    try {
      return store.allocate(name, capacity, needed, Tier.SSD);
    } catch (NoSpaceException e) {
      return store.allocate(name, capacity, needed, Tier.MEMORY);
    }
  }
}
