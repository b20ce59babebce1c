package dev.sailfish.workflow.lead;

import java.util.EnumSet;
import java.util.Set;

/**
 * Whether a manager works.
 *
 * <pre>
 *              took the lock
 *   STANDBY ──────────────────▶ LEADING
 *      ▲                         │  │
 *      └─ lost the lock, or      │  │ was stopped
 *         did not hear of it ────┘  │
 *      │                            ▼
 *      └──────────────────────▶ STOPPED
 * </pre>
 */
public enum LeaderState {
  /** Another one works, or the store does not answer. */
  STANDBY,
  /** It works. */
  LEADING,
  /** It was stopped. */
  STOPPED;

  Set<LeaderState> next() {
    return switch (this) {
      case STANDBY -> EnumSet.of(LEADING, STOPPED);
      case LEADING -> EnumSet.of(STANDBY, STOPPED);
      case STOPPED -> EnumSet.noneOf(LeaderState.class);
    };
  }
}
