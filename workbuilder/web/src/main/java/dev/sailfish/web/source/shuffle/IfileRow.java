package dev.sailfish.web.source.shuffle;

import java.util.List;

/**
 * The I-files of one partition, one for each rack, together.
 *
 * @param chunks how many there are; the next four say in which state
 * @param bytes before compression
 * @param storedBytes length of the chunks' files
 */
public record IfileRow(
    int partition,
    List<String> racks,
    int chunks,
    int open,
    int stable,
    int sorted,
    int lost,
    long bytes,
    long storedBytes,
    long records) {}
