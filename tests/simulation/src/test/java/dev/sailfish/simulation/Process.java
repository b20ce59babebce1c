package dev.sailfish.simulation;

/**
 * One life of a simulated process: once killed, nothing that belongs to it happens any more; while
 * it is stopped, what belongs to it waits.
 */
final class Process {
  private final String name;
  private boolean alive = true;
  private long stoppedAtNs;
  private long pausedUntilNs;

  Process(String name) {
    this.name = name;
  }

  boolean isAlive() {
    return alive;
  }

  void die() {
    alive = false;
  }

  /** Nothing of it happens before then. */
  void pause(long nowNs, long untilNs) {
    stoppedAtNs = nowNs;
    pausedUntilNs = untilNs;
  }

  /** When it goes on, if it was ever stopped. */
  long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** How long its last stop lasted, if that has begun since a time. */
  long pausedNs(long sinceNs) {
    return pausedUntilNs < sinceNs ? 0 : pausedUntilNs - stoppedAtNs;
  }

  @Override
  public String toString() {
    return name;
  }
}
