package dev.sailfish.chunksorter;

import java.nio.ByteBuffer;

/**
 * One of several chunks that are sorted as one.
 *
 * @param bytes not changed; the caller's, as all buffers of a {@link ChunkSorter}
 * @param length where its blocks end, in bytes
 */
public record StableChunk(ByteBuffer bytes, int length) {}
