package dev.sailfish.web.source;

import java.util.List;

/**
 * The I-files of a job.
 *
 * @param ifiles by partition, in ascending order
 * @param sortedBytes before compression, of chunks that are SORTED
 * @param unsortedBytes of chunks that are OPEN or STABLE
 * @param servers that have chunks of it
 */
public record ShuffleData(
    List<IfileRow> ifiles, long sortedBytes, long unsortedBytes, List<ChunkPlace> servers) {}
