package dev.sailfish.iappender;

/**
 * What a committed map attempt wrote.
 *
 * @param records records in all blocks: after combining, if there is a combiner
 * @param rawBytes bytes of the blocks before compression
 * @param storedBytes bytes of the blocks after compression, without their headers
 * @param blocks how many blocks
 */
public record ManifestTotals(long records, long rawBytes, long storedBytes, long blocks) {}
