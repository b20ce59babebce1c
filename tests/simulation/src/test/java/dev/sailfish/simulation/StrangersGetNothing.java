package dev.sailfish.simulation;

import dev.sailfish.simulator.Violation;

/**
 * Who knows no secret gets no good answer but that to HELLO, whatever name he gives; the metaserver
 * remembers no job and no key for him; and a connection that proves nothing is closed.
 */
final class StrangersGetNothing {
  private Violation seen;
  private int connections;
  private int open;
  private int mostOpen;

  /** A stranger has connected. */
  void came() {
    connections++;
    open++;
    mostOpen = Math.max(mostOpen, open);
  }

  /** One of them is gone. */
  void left() {
    open--;
  }

  /** How many there were. */
  int connections() {
    return connections;
  }

  /** How many connections of strangers were open at a time, at most. */
  int mostOpen() {
    return mostOpen;
  }

  /** Something was given to a stranger, or kept for him. */
  void broken(String what) {
    if (seen == null) {
      seen = new Violation(StrangersGetNothing.class, what);
    }
  }

  void check() {
    if (seen != null) {
      throw seen;
    }
  }
}
