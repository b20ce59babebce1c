/**
 * The reading side of an I-file, engine-neutral: {@link dev.sailfish.imerger.Imerger} delivers one
 * partition's records of the winning map attempts in key order, each exactly once; {@link
 * dev.sailfish.imerger.IfileScanner} those of a key range.
 *
 * <pre>
 *   Imerger ─▶ ChunkSet ─▶ SortedChunk ─▶ ChunkRun ─┐
 *      │          │            │             │      ├▶ RunMerge (loser tree) ─▶ record
 *      │          │            └─ ServerLink ┘      │
 *      │          └─ AcceptedBlocks                 │
 *      └─▶ ExternalMerge ─▶ SpillWriter ─▶ SpilledRun
 * </pre>
 *
 * <p>Runs inside a task: one thread, no framework, few classes, memory within a budget.
 */
package dev.sailfish.imerger;
