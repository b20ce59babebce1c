/**
 * Sorts a stable chunk by normalized key and indexes it. A library: it sees buffers, no files and
 * no sockets. {@link dev.sailfish.chunksorter.ChunkSorter} is the way in.
 */
package dev.sailfish.chunksorter;
