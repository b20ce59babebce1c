package dev.sailfish.hadoop.am.warm;

import java.util.EnumMap;
import java.util.Map;

/**
 * Of a container that runs task after task.
 *
 * <pre>
 *   STARTING ── GIVEN ──▶ BUSY ── ENDED ──▶ IDLE ── OFFERED ──▶ OFFERED ── ASSIGNED ──▶ ASSIGNED
 *                          ▲                                                              │
 *                          └──────────────────────────── GIVEN ──────────────────────────┘
 *   each of them ── LEAVES ──▶ LEAVING ── LEAVES ──▶ LEAVING
 * </pre>
 */
enum WarmState {
  /** Its launch was asked for; its JVM has not got a task yet. */
  STARTING,
  /** Its JVM runs a task. */
  BUSY,
  /** Its JVM asks for a task, and there is none. */
  IDLE,
  /** Shown to the allocator as a new container, which assigns or releases it. */
  OFFERED,
  /** An attempt is assigned; its JVM will get it when it asks. */
  ASSIGNED,
  /** It gets no other task; its JVM is told to end. */
  LEAVING;

  /** What happens to a container. */
  enum Event {
    GIVEN,
    ENDED,
    OFFERED,
    ASSIGNED,
    LEAVES
  }

  private static final Map<WarmState, Map<Event, WarmState>> TABLE = new EnumMap<>(WarmState.class);

  static {
    arrow(STARTING, Event.GIVEN, BUSY);
    arrow(BUSY, Event.ENDED, IDLE);
    arrow(IDLE, Event.OFFERED, OFFERED);
    arrow(OFFERED, Event.ASSIGNED, ASSIGNED);
    arrow(ASSIGNED, Event.GIVEN, BUSY);
    for (WarmState state : values()) {
      arrow(state, Event.LEAVES, LEAVING);
    }
  }

  private static void arrow(WarmState from, Event event, WarmState to) {
    TABLE.computeIfAbsent(from, state -> new EnumMap<>(Event.class)).put(event, to);
  }

  /**
   * The state after an event.
   *
   * @throws IllegalStateException when the event cannot happen in this state
   */
  WarmState after(Event event) {
    WarmState next = TABLE.get(this).get(event);
    if (next == null) {
      throw new IllegalStateException("a container that is " + this + " cannot be " + event);
    }
    return next;
  }
}
