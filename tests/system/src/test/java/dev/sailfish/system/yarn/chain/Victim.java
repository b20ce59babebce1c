package dev.sailfish.system.yarn.chain;

/** Who is killed, and started again. */
enum Victim {
  /** A worker, whose sealed blocks are there when it is back. */
  WORKER,
  /** A worker that comes back with nothing, as with its host. */
  EMPTIED_WORKER,
  /** The master that leads. */
  LEADER,
  /** The master that leads, and a worker before another one does. */
  LEADER_AND_WORKER,
  /** The workflow manager. */
  MANAGER
}
