package dev.sailfish.chaos;

/** What the work may do when a fault meets it; a wrong result and a hang are never among it. */
public interface Expectation {
  /** For the report. */
  String name();

  /** Whether work that was met by such a fault may fail with these diagnostics. */
  boolean allowsFailure(String diagnostics);
}
