package dev.sailfish.workflow.recovery;

import dev.sailfish.workflow.step.StepRequest;
import java.util.Optional;

/** Steps that run, by their dependencies, at most one of each. No method waits. */
public interface Steps {
  /** Begins a step; none of its dependency is known. */
  void start(StepRequest request);

  /**
   * Follows an application that another manager has begun; none of the dependency is known.
   *
   * @param application its id, as YARN writes it
   */
  void adopt(StepRequest request, String application);

  /** What is known of a step; empty: none of this dependency was begun, or it is forgotten. */
  Optional<StepLook> look(long dependency);

  /** Ends a step, as soon as its application is known; it is looked at until it has ended. */
  void end(long dependency);

  /** Nobody looks at a step any more; its application stays as it is. */
  void forget(long dependency);
}
