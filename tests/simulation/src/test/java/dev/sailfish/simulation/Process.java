package dev.sailfish.simulation;

/** One life of a simulated process: once killed, nothing that belongs to it happens any more. */
final class Process {
  private final String name;
  private boolean alive = true;

  Process(String name) {
    this.name = name;
  }

  boolean isAlive() {
    return alive;
  }

  void die() {
    alive = false;
  }

  @Override
  public String toString() {
    return name;
  }
}
