/**
 * The reading side of an I-file, engine-neutral: {@link dev.sailfish.imerger.Imerger} delivers one
 * partition's records of the winning map attempts, or those of a range of keys, in key order, each
 * exactly once.
 *
 * <pre>
 *   Imerger ─▶ ChunkSet ─▶ SortedChunk ─▶ ChunkRun ─┐
 *      │          │                                 ├▶ RunMerge (loser tree) ─▶ record
 *      │          └─ AcceptedBlocks                 │
 *      └─▶ ExternalMerge ─▶ SpillWriter ─▶ SpilledRun
 *   fetch: what servers are asked     merge: runs of any origin, within a memory
 * </pre>
 *
 * <p>Runs inside a task: one thread, no framework, few classes, memory within a budget.
 */
package dev.sailfish.imerger;
