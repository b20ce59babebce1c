/**
 * The byte formats of Sailfish: record, block, chunk and in-chunk index.
 *
 * <p>This is the only place that knows a byte offset. All integers are big endian; all checksums
 * are CRC32C. The layouts are drawn in the class comments of {@link
 * dev.sailfish.format.RecordDescriptor}, {@link dev.sailfish.format.BlockHeader}, {@link
 * dev.sailfish.format.ChunkHeader} and {@link dev.sailfish.format.tail.ChunkTail}, and again in
 * {@code docs/FORMAT.md}.
 *
 * <p>Nothing here starts a thread, opens a file or imports anything but the JDK. Bad bytes end in
 * one of the three kinds of {@link dev.sailfish.format.FormatException}: corrupt, truncated, or
 * written by a newer version; never in a wrong record and never in an allocation that was not
 * checked against a limit first.
 */
package dev.sailfish.format;
