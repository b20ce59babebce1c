package dev.sailfish.lineage.edge.recompute;

import java.util.Set;

/**
 * The states of one step of a {@link Recomputation}, and which may follow which.
 *
 * <pre>
 *                 ┌──────────── failed ────────── BACKING_OFF
 *                 ▼                                    ▲
 *   (new) ──▶ WAITING ──▶ READY ──▶ RUNNING ───────────┤
 *                 ▲ ▲        │       │  │              ▼
 *                 │ └────────┴───────┘  │          GIVEN_UP ──┐
 *                 │  inputs were lost   ▼                     │
 *                 ├─────────────────── DONE                   │
 *                 │ outputs were lost                         │
 *                 └───────────────────────────────────────────┘ asked for again
 * </pre>
 *
 * From each state but DROPPED a step is DROPPED when nobody needs its outputs any more.
 */
public enum StepState {
  /** Some inputs have to be recomputed first. */
  WAITING,
  /** All inputs are there. */
  READY,
  /** A job of it was launched. */
  RUNNING,
  /** The last attempt failed; the next one has to wait for its time. */
  BACKING_OFF,
  /** Its outputs were made. */
  DONE,
  /** The last attempt that it has failed. */
  GIVEN_UP,
  /** Nobody needs its outputs. */
  DROPPED;

  Set<StepState> next() {
    return switch (this) {
      case WAITING -> Set.of(READY, DROPPED);
      case READY -> Set.of(RUNNING, WAITING, DROPPED);
      case RUNNING -> Set.of(DONE, WAITING, BACKING_OFF, GIVEN_UP, DROPPED);
      case BACKING_OFF, DONE, GIVEN_UP -> Set.of(WAITING, DROPPED);
      case DROPPED -> Set.of();
    };
  }
}
