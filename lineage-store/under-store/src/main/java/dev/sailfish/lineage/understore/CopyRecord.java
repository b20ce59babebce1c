package dev.sailfish.lineage.understore;

/**
 * What a copy is, made once all of it is under its own name. The master journals it: a copy counts
 * from then on, and no other file does.
 *
 * @param file as the under store showed it after the end: path, length, version
 * @param fid of the file that it is a copy of
 * @param crc32c of all its bytes
 * @param kind how it came under its name
 */
public record CopyRecord(UnderFile file, long fid, int crc32c, CopyKind kind) {}
