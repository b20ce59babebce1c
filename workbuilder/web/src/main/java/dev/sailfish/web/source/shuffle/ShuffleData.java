package dev.sailfish.web.source.shuffle;

import java.util.List;

/**
 * The I-files of a job.
 *
 * @param ifiles by partition, in ascending order
 * @param sortedBytes before compression, of chunks that are SORTED
 * @param unsortedBytes of chunks that are OPEN or STABLE
 * @param sortCpuUs CPU that chunkservers took to sort chunks of it, in microseconds; 0: none has
 *     told any
 * @param servers that have chunks of it
 */
public record ShuffleData(
    List<IfileRow> ifiles,
    long sortedBytes,
    long unsortedBytes,
    long sortCpuUs,
    List<ChunkPlace> servers) {}
