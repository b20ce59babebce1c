/**
 * The node-local store that chunks live in, and later the lineage store's blocks.
 *
 * <p><b>Tiers.</b> A {@link dev.sailfish.blockstore.Segment} is one file, mapped once, in the
 * memory directory (a memory file system, mode 0700) or in one of the disk directories. Allocation
 * tries memory first, then the disk directory with most room; a segment never moves.
 *
 * <p><b>Growth.</b> A segment has an address range for its whole capacity but pages only for what
 * was ensured, in growth steps. {@code ensure} makes pages exist by writing zeros through the file
 * and not by touching the mapping: a mapped write to a full file system kills the thread with a
 * fault, a file write fails with an error that can be answered; and it is the fastest way to touch
 * fresh pages. The file ends where its pages end, so its length is its cost; except that a segment
 * may {@code claim} room, without pages, so that others do not take what it will grow into.
 *
 * <p><b>Pool.</b> The first touch of a memory page costs several times a write to a warm one, so
 * the file of a deleted memory segment keeps its pages and its mapping and is handed out again, the
 * warmest of the same capacity first, with the old content still in it. Capacities are mapped in
 * whole growth steps, so that nearly equal ones match. Files with less than a growth step of warm
 * pages, and all disk files, are cut to nothing and removed; cut first, because a mapping keeps
 * pages alive until it is garbage collected. The pool is given back when the memory tier has been
 * without a segment for the idle time, and at close.
 *
 * <p><b>Accounting.</b> Per directory, {@code used + pooled <= capacity} at every moment. Used is
 * what was promised to segments that are not freed yet, deleted ones with readers included, or
 * claimed by them. Pooled is warm but promised to and claimed by nobody: it is trimmed, coldest
 * first, as soon as growth needs the room. A file system that is full below the configured capacity
 * is treated as full. Directory entries and inodes are not counted.
 *
 * <p><b>References.</b> A delete frees the name at once and the memory when the last reader is
 * done; see {@link dev.sailfish.blockstore.Segment}.
 *
 * <p><b>Crashes.</b> The state of a file is in its name, and names change by atomic renames:
 *
 * <pre>
 *   NAME ──seal──▶ NAME+seal-LENGTH-CRC ──delete──▶ +free-N ──reuse──▶ NAME'
 *     └──────────────delete─────────────────────────▶ ▲
 * </pre>
 *
 * After the death of the process {@code open} registers sealed segments as they were; registers
 * segments that were being written with the length of their file, a whole number of pages whose
 * tail may be zeros or content of an earlier segment, so that whoever parses the valid prefix needs
 * checksums that name what they belong to; and removes {@code +free} files. A close leaves the same
 * behind, without the pool. A reboot empties the memory tier; on disk, sealed content that was not
 * forced may be wrong after a power failure, which {@code verify} finds when it was sealed with a
 * checksum. A lock on {@code +lock} keeps two live stores out of one directory, and falls with its
 * process.
 */
package dev.sailfish.blockstore;
