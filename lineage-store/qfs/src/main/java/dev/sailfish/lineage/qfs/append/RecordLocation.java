package dev.sailfish.lineage.qfs.append;

/**
 * Where an appended record is.
 *
 * @param offset of its first byte in the file
 * @param length in bytes
 */
public record RecordLocation(long offset, int length) {}
