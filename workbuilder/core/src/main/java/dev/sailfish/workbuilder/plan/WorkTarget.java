package dev.sailfish.workbuilder.plan;

import java.util.Objects;

/**
 * How much one reduce work shall have.
 *
 * @param bytes before compression
 * @param reason where the number came from: one sentence for people
 */
public record WorkTarget(long bytes, String reason) {
  /** Checks the number. */
  public WorkTarget {
    Objects.requireNonNull(reason, "reason");
    if (bytes < 1) {
      throw new IllegalArgumentException("target=" + bytes + " must be at least 1 byte");
    }
  }

  /** A target that somebody has asked for. */
  public static WorkTarget given(long bytes) {
    return new WorkTarget(bytes, PlanText.size(bytes) + " as given");
  }
}
