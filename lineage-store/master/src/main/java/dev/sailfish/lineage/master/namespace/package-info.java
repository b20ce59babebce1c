/**
 * The tree of files and directories of the lineage store, and who may do what in it. A core: no
 * I/O, no clock, no thread; the same calls in the same order bring every peer to the same state,
 * ids of files included. Not thread-safe, but for what is being written of a snapshot.
 *
 * <pre>
 *   Namespace ──▶ Directory ──▶ InodeTable      names in order; what is known of each file
 *       ├──▶ Doomed                              trees that were deleted, freed bit by bit
 *       ├──▶ Writers                             who writes which file
 *       ├──▶ Access ──▶ Principals               POSIX permissions; users and groups by number
 *       └──▶ NamespaceImage                      a snapshot, while changes go on
 * </pre>
 *
 * <p><b>Memory.</b> A file costs 32 bytes of the table, a reference and an array for its name (16
 * bytes and the name, in steps of 8), and 4 to 8 bytes of its directory; with names of 12 bytes, 67
 * bytes of heap were measured. While a snapshot is being written, the pages that change are there
 * twice.
 */
package dev.sailfish.lineage.master.namespace;
