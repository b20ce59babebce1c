package dev.sailfish.web.source.shuffle;

/**
 * A chunkserver, as a job's chunks name it.
 *
 * @param address {@code host:port} of its service
 * @param rack that the metaserver has found for it
 */
public record ChunkPlace(String id, String address, String rack) {}
