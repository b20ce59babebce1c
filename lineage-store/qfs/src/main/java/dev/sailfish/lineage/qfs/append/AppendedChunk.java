package dev.sailfish.lineage.qfs.append;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;

/**
 * A stable chunk of a file that was appended to. Between its end and the next chunk the file has a
 * hole.
 *
 * @param offset of its first byte in the file, a multiple of {@link ChunkInfo#BYTES}
 * @param bytes how many it has; may be 0
 */
public record AppendedChunk(long offset, long bytes) {}
