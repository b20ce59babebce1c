package dev.sailfish.chaos;

import java.util.List;

/**
 * A kind of fault, with what is promised when it strikes. Implemented by an enum of the service's
 * kinds; equal when it is the same constant.
 *
 * @param <T> what it strikes
 */
public interface FaultKind<T extends Target> {
  /** For plans and reports. */
  String name();

  /** What is promised to work that it meets. */
  Expectation expectation();

  /** When it may strike; at least one moment. */
  List<Moment> moments();

  /** Whether it may meet the same work as another kind, or, if that is itself, twice. */
  boolean goesWith(FaultKind<T> other);

  /** What it does. */
  Strike<T> strike();
}
