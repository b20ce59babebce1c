package dev.sailfish.simulator;

/**
 * One life of a simulated process: once killed, nothing that belongs to it happens any more; while
 * it is stopped, what belongs to it waits.
 */
public final class SimulatedProcess {
  private final String name;
  private boolean alive = true;
  private long stoppedAtNs;
  private long pausedUntilNs;

  /**
   * @param name for messages
   */
  public SimulatedProcess(String name) {
    this.name = name;
  }

  /** Whether it was not killed. */
  public boolean isAlive() {
    return alive;
  }

  /**
   * Nothing of it happens any more. To have its peers and actors know, see {@link Internet#kill}.
   */
  public void die() {
    alive = false;
  }

  /** Nothing of it happens before then. */
  public void pause(long nowNs, long untilNs) {
    stoppedAtNs = nowNs;
    pausedUntilNs = untilNs;
  }

  /** When it goes on, if it was ever stopped. */
  public long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** How long its last stop lasted, if that has begun since a time. */
  public long pausedNs(long sinceNs) {
    return pausedUntilNs < sinceNs ? 0 : pausedUntilNs - stoppedAtNs;
  }

  @Override
  public String toString() {
    return name;
  }
}
