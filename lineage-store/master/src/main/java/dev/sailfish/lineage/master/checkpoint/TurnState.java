package dev.sailfish.lineage.master.checkpoint;

import java.util.Set;

/**
 * A file's turn to be checkpointed, and which state may follow which.
 *
 * <pre>
 *   ASSIGNED ──▶ ORDERED ──▶ TOLD     a worker is chosen; it is ordered with its next heartbeat;
 *      │            │         │       it has said that it has the file in hand
 *      └────────────┴─────────┴─▶ OVER
 * </pre>
 */
enum TurnState {
  /** A worker is chosen for it. */
  ASSIGNED,
  /** It is in the answer to the worker's last heartbeat. */
  ORDERED,
  /** The worker has said that it has it in hand. */
  TOLD,
  /** It is below, there no more, failed, or waits for another turn. */
  OVER;

  Set<TurnState> next() {
    return switch (this) {
      case ASSIGNED -> Set.of(ORDERED, OVER);
      case ORDERED -> Set.of(TOLD, OVER);
      case TOLD -> Set.of(OVER);
      case OVER -> Set.of();
    };
  }
}
