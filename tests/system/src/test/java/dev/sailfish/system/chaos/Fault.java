package dev.sailfish.system.chaos;

/**
 * One planned fault.
 *
 * @param kind what happens
 * @param moment when
 * @param delayMs how long after that moment
 * @param seed of what is decided only then: which process, which bit, how long
 */
record Fault(FaultKind kind, Moment moment, long delayMs, long seed) {
  @Override
  public String toString() {
    return kind + " at " + moment + "+" + delayMs + "ms";
  }
}
