/**
 * What the lineage store decides about files that memory alone has: in which order they are
 * checkpointed, and what is recomputed when some are lost. Policy alone: no I/O, no clock, no
 * thread; the same calls in the same order give the same answers.
 *
 * <pre>
 *   checkpoint   which file is written to the under store next
 *   recompute    which dependencies run again, in which order, and how far that is
 *   resource     with which priority or share of the cluster they run
 * </pre>
 *
 * <p>"The paper" in these packages is <i>Reliable, Memory Speed Storage for Cluster Computing
 * Frameworks</i> (Technical Report UCB/EECS-2014-135), and "the earlier paper" is <i>Tachyon:
 * Memory Throughput I/O for Cluster Computing Frameworks</i> (2013).
 */
package dev.sailfish.lineage.edge;
