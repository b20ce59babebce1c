/**
 * The client that a map task appends records with (the seed's create_ifile and record_append).
 * {@link dev.sailfish.iappender.Iappender} is the way in. One thread does everything; what goes
 * over the network goes through {@code dev.sailfish.ground.wire}.
 *
 * <pre>
 *   output() ─▶ RecordAssembler ─▶ PartitionBuffers ─▶ BlockSorter, BlockCombiner (if any)
 *                                                            │
 *   manifest ◀─ AppendWindow ◀─ BlockEncoder ◀───────────────┘
 * </pre>
 *
 * <p>Where a block ends depends on the records and the configuration only, never on how fast a
 * server answers: the same input gives the same blocks.
 */
package dev.sailfish.iappender;
