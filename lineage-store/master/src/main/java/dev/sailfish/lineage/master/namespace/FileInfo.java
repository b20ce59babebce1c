package dev.sailfish.lineage.master.namespace;

/**
 * What is known of a file or directory.
 *
 * @param fid its id
 * @param name the last name of its path; empty for the root
 * @param isComplete whether its writer has closed it; false for a directory
 * @param length in bytes; 0 until it is complete, and for a directory
 * @param blockSize in bytes; 0 for a directory
 * @param modifiedMs by the leaders' wall clocks, in milliseconds since 1970: when it was created or
 *     closed, or its entries changed
 * @param mode the twelve bits of POSIX
 * @param isBelow whether the under store has all of it; false for a directory
 */
public record FileInfo(
    long fid,
    String name,
    boolean isDirectory,
    boolean isComplete,
    long length,
    long blockSize,
    long modifiedMs,
    String owner,
    String group,
    int mode,
    boolean isBelow) {}
