package dev.sailfish.workbuilder.plan;

/**
 * What the manifests of the winners promise of a partition: what those who read its pieces must
 * have delivered together.
 *
 * @param partition its number
 * @param records how many
 * @param bytes of keys, as they are stored, and values
 * @param checksum of the records, a sum modulo 2^64: those of the pieces add up to it
 */
public record PartitionTotal(int partition, long records, long bytes, long checksum) {}
