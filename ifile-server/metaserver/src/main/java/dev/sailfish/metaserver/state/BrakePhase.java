package dev.sailfish.metaserver.state;

import java.util.EnumSet;
import java.util.Set;

/**
 * How silent chunkservers are judged; see {@link Brake}.
 *
 * <pre>
 *          half or more are silent
 *     OFF ────────────────────────▶ ON
 *    │ ▲ ◀──────────────────────── ▲ │
 *    │ │   nobody is silent        │ │
 *    │ │                           │ │ fewer are silent
 *    │ └──────── GRACE ────────────┘ │
 *    │    over   ▲  ▲   over, and half or more are silent
 *    └───────────┘  └────────────────┘
 *     the metaserver stood still
 * </pre>
 */
enum BrakePhase {
  /** Who is silent for long enough is given up. */
  OFF,
  /** Half of the servers or more are silent: only who is known to be gone is given up. */
  ON,
  /** Servers get time to be heard again; as ON. */
  GRACE;

  /** Whether the table has this arrow. */
  boolean mayBecome(BrakePhase next) {
    return next().contains(next);
  }

  private Set<BrakePhase> next() {
    return switch (this) {
      case OFF -> EnumSet.of(ON, GRACE);
      case ON -> EnumSet.of(OFF, GRACE);
      case GRACE -> EnumSet.of(OFF, ON);
    };
  }
}
