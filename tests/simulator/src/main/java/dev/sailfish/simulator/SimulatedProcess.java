package dev.sailfish.simulator;

import java.util.ArrayList;
import java.util.List;

/**
 * One life of a simulated process: once killed, nothing that belongs to it happens any more; while
 * it is stopped, what belongs to it waits.
 */
public final class SimulatedProcess {
  private final String name;
  private final List<Stop> stops = new ArrayList<>();
  private boolean alive = true;
  private long pausedUntilNs;

  /** From when to when it is stopped; stops do not overlap. */
  private record Stop(long fromNs, long untilNs) {
    long after(long sinceNs) {
      return Math.max(0, untilNs - Math.max(fromNs, sinceNs));
    }
  }

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

  /**
   * Nothing of it happens before then. A stop that begins while it is stopped ends no other: it
   * goes on at the end of the last.
   *
   * @param nowNs not before that of any earlier call
   */
  public void pause(long nowNs, long untilNs) {
    long fromNs = Math.max(nowNs, pausedUntilNs);
    if (untilNs > fromNs) {
      stops.add(new Stop(fromNs, untilNs));
      pausedUntilNs = untilNs;
    }
  }

  /** When it goes on, if it was ever stopped. */
  public long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** How long it is stopped after a time, by all stops that are known. */
  public long pausedNs(long sinceNs) {
    return stops.stream().mapToLong(stop -> stop.after(sinceNs)).sum();
  }

  @Override
  public String toString() {
    return name;
  }
}
