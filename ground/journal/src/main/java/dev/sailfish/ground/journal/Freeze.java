package dev.sailfish.metaserver.state;

/**
 * Tells jobs whether a snapshot is being written, for which each keeps how it was before it
 * changes: see {@link JobImage}.
 */
final class Freeze {
  private int number;
  private boolean on;

  /** A snapshot begins; one at a time. */
  void begin() {
    if (on) {
      throw new IllegalStateException("a snapshot is being written: number=" + number);
    }
    on = true;
    number++;
  }

  /** The snapshot is written, or given up. */
  void end() {
    on = false;
  }

  /** Which snapshot was the last one to begin. */
  int number() {
    return number;
  }

  /** Whether what was made or kept since that snapshot began must be kept before it changes. */
  boolean concerns(int since) {
    return on && since < number;
  }
}
