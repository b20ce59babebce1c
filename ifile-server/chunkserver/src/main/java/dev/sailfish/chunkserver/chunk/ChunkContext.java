package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.ground.server.metrics.Metrics;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What all chunks of a server use.
 *
 * @param store for their segments
 * @param changed hears that there is something new to report of a chunk; called with the chunk's
 *     monitor held, must not wait
 * @param threadCpuNs CPU that the calling thread has used, in nanoseconds
 */
public record ChunkContext(
    Owner store,
    SortScheduler sorts,
    Metrics<ChunkserverMetric> metrics,
    Consumer<Chunk> changed,
    LongSupplier threadCpuNs) {}
