package dev.sailfish.system.yarn.chain;

/** What is going on when a process is killed. */
enum Phase {
  /** A job writes a file that has a lineage record. */
  WRITE,
  /** Files wait to be copied below, or are being copied. */
  CHECKPOINT,
  /** No job runs; files are only in memory. */
  QUIET,
  /** A step of a recompute runs. */
  RECOMPUTE
}
