/**
 * The tree of files and directories of the lineage store, and who may do what in it. A core: no
 * I/O, no clock, no thread; the same calls in the same order bring every peer to the same state,
 * ids of files included. Not thread-safe, but for what is being written of a snapshot.
 *
 * <pre>
 *   Namespace ──▶ Tree ──▶ Directory            the way to a file; names in order
 *       │           ├──▶ Access ──▶ Principals   POSIX permissions; users and groups by number
 *       │           └──▶ InodeTable              what is known of each file
 *       ├──▶ Blocks ──▶ CopyTable, Workers       which worker has which block
 *       ├──▶ Doomed                              trees that were deleted, freed bit by bit
 *       ├──▶ FileWriting ──▶ Writers             who writes which file, for whom ids are kept
 *       └──▶ NamespaceImage                      a snapshot, while changes go on
 * </pre>
 *
 * <p><b>Memory.</b> A file costs 40 bytes of the table, a reference and an array for its name (16
 * bytes and the name, in steps of 8), 4 to 8 bytes of its directory, and 12 bytes for each copy of
 * each block; with one block and names of 12 bytes, 93 bytes of heap were measured. While a
 * snapshot is being written, the pages that change are there twice.
 */
package dev.sailfish.lineage.master.namespace;
