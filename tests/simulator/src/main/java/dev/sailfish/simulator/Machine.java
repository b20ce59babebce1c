package dev.sailfish.simulator;

/** A place where one process runs after the other. */
public final class Machine {
  private final Internet internet;
  private final String name;
  private SimulatedProcess process;
  private int life;

  /** A machine on which nothing runs yet. */
  public Machine(Internet internet, String name) {
    this.internet = internet;
    this.name = name;
  }

  /** Begins another life; the one before has ended. */
  public SimulatedProcess start() {
    if (isUp()) {
      throw new IllegalStateException(name + " runs already");
    }
    process = new SimulatedProcess(name);
    life++;
    return process;
  }

  /**
   * Ends the present life, as {@link Internet#kill} does.
   *
   * @param silently whether the machine goes with it, so that its peers are not told
   */
  public void kill(boolean silently) {
    internet.kill(process, silently);
  }

  /** Whether a process runs there. */
  public boolean isUp() {
    return process != null && process.isAlive();
  }

  /** Whether the last event had to do with the process that runs there. */
  public boolean wasTouched() {
    return isUp() && internet.scheduler().touched().contains(process);
  }

  /** The process that runs, or that ran last; null before the first. */
  public SimulatedProcess process() {
    return process;
  }

  /** How many lives have begun. */
  public int life() {
    return life;
  }

  @Override
  public String toString() {
    return name;
  }
}
