package dev.sailfish.system.chaos;

import java.util.Optional;

/**
 * What became of a planned fault.
 *
 * @param fault as planned
 * @param target what was hit and how; empty when there was nothing to hit at that moment
 */
record Injection(Fault fault, Optional<String> target) {
  boolean injected() {
    return target.isPresent();
  }

  @Override
  public String toString() {
    return fault + ": " + target.orElse("nothing to hit");
  }
}
