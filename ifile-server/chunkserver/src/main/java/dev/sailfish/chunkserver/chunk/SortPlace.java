package dev.sailfish.chunkserver.chunk;

/**
 * How far a chunk is on its way through the sorters. Each answer to a reader that waits has one:
 * what is left, {@code bytesAhead + chunkBytes - sortedBytes}, shrinks while the server works.
 *
 * @param chunksAhead chunks whose sorts come before, those that run included
 * @param bytesAhead bytes of them that are not sorted yet
 * @param chunkBytes of the chunk itself
 * @param sortedBytes of them, once its own sort runs
 */
public record SortPlace(int chunksAhead, long bytesAhead, long chunkBytes, long sortedBytes) {}
