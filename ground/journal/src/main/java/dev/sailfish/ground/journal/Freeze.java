package dev.sailfish.ground.journal;

/**
 * Tells the parts of a state whether a snapshot is being written, for which each part keeps how it
 * was before it changes. For one thread.
 */
public final class Freeze {
  private int number;
  private boolean on;

  /** A snapshot begins; one at a time. */
  public void begin() {
    if (on) {
      throw new IllegalStateException("a snapshot is being written: number=" + number);
    }
    on = true;
    number++;
  }

  /** The snapshot is written, or given up. */
  public void end() {
    on = false;
  }

  /** Which snapshot was the last one to begin. */
  public int number() {
    return number;
  }

  /** Whether what was made or kept since that snapshot began must be kept before it changes. */
  public boolean concerns(int since) {
    return on && since < number;
  }
}
