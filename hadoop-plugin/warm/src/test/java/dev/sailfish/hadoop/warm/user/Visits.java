package dev.sailfish.hadoop.warm.user;

/** Static state of a user's class. */
public final class Visits implements Runnable {
  private static int visits;

  /** Made by reflection. */
  public Visits() {}

  @Override
  public void run() {
    visits++;
  }

  @Override
  public String toString() {
    return Integer.toString(visits);
  }
}
