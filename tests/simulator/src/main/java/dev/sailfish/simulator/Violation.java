package dev.sailfish.simulator;

/** An invariant was broken. */
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  /**
   * @param invariant the class that is named after it
   * @param what what was seen, with who and where
   */
  public Violation(Class<?> invariant, String what) {
    super(invariant.getSimpleName() + ": " + what);
  }
}
