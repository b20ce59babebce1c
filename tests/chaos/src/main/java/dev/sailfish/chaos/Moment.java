package dev.sailfish.chaos;

/** A point of the work that can be seen from outside. */
public interface Moment {
  /** For plans and reports. */
  String name();

  /** Whether it comes before the work begins. */
  boolean isBefore();
}
