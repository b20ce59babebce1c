package dev.sailfish.lineage.qfs.meta;

/**
 * How a file's bytes are spread over chunks and recovery chunks. This client reports it, and
 * neither reads nor writes such files. Immutable.
 *
 * @param type 1 is none with stripes, 2 is Reed-Solomon, others are codes of QFS
 * @param stripes data chunks of a group
 * @param recoveryStripes chunks of a group that make up for lost ones
 * @param stripeBytes bytes of one chunk before the next one's turn
 */
public record Striping(int type, int stripes, int recoveryStripes, int stripeBytes) {}
