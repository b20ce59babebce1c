package dev.sailfish.chaos;

import java.util.Optional;

/**
 * What became of a planned fault.
 *
 * @param <T> what it was to strike
 * @param fault as planned
 * @param target what was hit and how; empty when there was nothing to hit until the work had ended
 */
public record Injection<T extends Target>(Fault<T> fault, Optional<String> target) {
  /** Whether it struck. */
  public boolean injected() {
    return target.isPresent();
  }

  @Override
  public String toString() {
    return fault + ": " + target.orElse("nothing to hit");
  }
}
