/**
 * The node-local store that chunks live in, and the lineage store's blocks.
 *
 * <pre>
 *   BlockStore ──▶ Owner ──▶ Segment ───▶ BackingFile        a name and its bytes
 *     │               └────▶ SegmentMove                     to another tier
 *     ├──▶ SegmentRecovery                                   once, at the start
 *     └──▶ DirectoryChoice ──▶ StoreDirectory ──▶ BackingFile   pages and files
 *                                └──▶ SpaceLedger, WarmPool, WarmStock   figures, files to use
 *
 *   DIRECTORY/                        one for each configured directory of a tier, mode 0700
 *     +lock                           held while a store has the directory open
 *     NAME{@literal @}OWNER                      an open segment: its bytes, as long as its pages
 *     NAME{@literal @}OWNER+lent-0-none          one that another process writes
 *     NAME{@literal @}OWNER+seal-LENGTH-CRC      a sealed one; SegmentFileName has all names
 *     +free-N                         of no segment: pooled, or still being read
 * </pre>
 *
 * <p><b>Owners.</b> Several services of a process share one {@link
 * dev.sailfish.blockstore.BlockStore}, each as an {@link dev.sailfish.blockstore.Owner} with
 * segments of its own, whose files bear its name, and with a share of each tier. A recovery gives
 * each its own; files of owners that the process does not know are counted and left alone.
 *
 * <p><b>Tiers.</b> A {@link dev.sailfish.blockstore.Segment} is one file, mapped once, in a
 * directory of one {@link dev.sailfish.blockstore.Tier}. Allocation tries the preferred tier, then
 * those below. Only its owner moves a segment, or evicts some, in the order that an {@link
 * dev.sailfish.blockstore.EvictionOrder} says; pinned ones stay. A moved segment is a new object
 * under the old name: who holds a reference to the former goes on reading there.
 *
 * <p><b>Growth.</b> A segment has an address range for its whole capacity but pages only for what
 * was ensured, in growth steps. {@code ensure} has the kernel allocate pages, or writes zeros where
 * it cannot, and does not touch the mapping: a mapped write to a full file system kills the thread
 * with a fault, those fail with an error that can be answered. A page that is allocated is cleared
 * only if its first use does not fill it: 0.23 ms per MiB, a write of zeros 0.4 ms, a touch of a
 * new mapping 0.65 ms. The file ends where its pages end, so its length is its cost; except that a
 * segment may {@code claim} room, without pages, so that others do not take what it will grow into.
 *
 * <p><b>Pool.</b> The first touch of a memory page costs several times a write to a warm one, so
 * the file of a deleted memory segment keeps its pages and its mapping and is handed out again, the
 * warmest of the same capacity first, with the old content still in it. Capacities are mapped in
 * whole growth steps, so that nearly equal ones match. Files with less than a growth step of warm
 * pages, and all disk files, are cut to nothing and removed; cut first, because a mapping keeps
 * pages alive until it is garbage collected. The pool is given back when the memory tier has been
 * without a segment for the idle time, and at close.
 *
 * <p><b>Ahead.</b> In idle times {@code warmAhead} makes files of zeros for segments that will be
 * lent. They count as pooled, and are the first to be given back.
 *
 * <p><b>Accounting.</b> Per directory, {@code used + pooled <= capacity} at every moment. Used is
 * what was promised to segments that are not freed yet, deleted ones with readers included, or
 * claimed by them. Pooled is warm but promised to and claimed by nobody: it is trimmed, coldest
 * first, as soon as growth needs the room. A file system that is full below the configured capacity
 * is treated as full. Directory entries and inodes are not counted.
 *
 * <p><b>References.</b> A delete frees the name at once and the memory when the last reader is
 * done; see {@link dev.sailfish.blockstore.Segment}. Other processes hold no references. They get
 * the path of a sealed segment from {@code share}, which first marks the file, in its name, as one
 * that others may have mapped. Such a file is never written, cut or reused, only unlinked, and
 * POSIX keeps an unlinked file for those who have it mapped. So nothing expires, a stopped reader
 * reads on when it continues, and a dead one holds nothing. Another process may write a segment
 * that is lent to it, under the same rule until the seal; its file is full, or not, as any file.
 *
 * <p><b>Buffers.</b> The store copies nothing in or out: what {@code buffer} gives is the mapping
 * itself, the caller's to write until the seal and to read while it holds a reference.
 *
 * <p><b>Threads.</b> The store has none. Everything runs on the caller's thread, and may be called
 * from any. Locks are taken in this order: the store's (shared by allocations and moves, exclusive
 * for the close), a segment's, a directory's monitor, a file's for its name; two segments are never
 * locked together.
 *
 * <p><b>Errors.</b> A full tier is an answer: false, or a {@link
 * dev.sailfish.blockstore.NoSpaceException} that lists each directory. Content that is not what was
 * sealed is a {@link dev.sailfish.blockstore.DamagedSegmentException}. Other I/O errors are thrown,
 * by methods that declare none in an {@link java.io.UncheckedIOException}; after one a segment is
 * in the state that it was in.
 *
 * <p><b>Crashes.</b> The state of a file is in its name ({@link
 * dev.sailfish.blockstore.file.SegmentFileName}), and names change by atomic renames:
 *
 * <pre>
 *   open, lent ──seal──▶ seal ──share──▶ shared
 *      └─────────delete─────┴──────────────┴──▶ +free-N ──reuse──▶ open, lent
 *   +free-N ──a move has copied──▶ copy ──the original is +free-N──▶ seal
 * </pre>
 *
 * After the death of the process {@code open} registers sealed segments as they were; registers
 * segments that were being written with the length of their file, a whole number of pages whose
 * tail may be zeros or content of an earlier segment, so that a reader of the valid prefix needs
 * checksums that name what they belong to; finishes or undoes moves; and removes {@code +free}
 * files. A close leaves the same behind, without the pool. A reboot empties the memory tier; in a
 * disk tier that is not synced sealed content may be wrong after a power failure, which {@code
 * verify} finds when it was sealed with a checksum. A lock on {@code +lock} keeps two live stores
 * out of one directory, and falls with its process.
 */
package dev.sailfish.blockstore;
