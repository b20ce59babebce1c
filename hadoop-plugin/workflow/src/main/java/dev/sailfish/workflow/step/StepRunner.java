package dev.sailfish.workflow.step;

import java.io.IOException;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** Runs steps of one kind as applications of YARN. Thread-safe. */
public interface StepRunner {
  /**
   * Begins a step: returns once YARN has accepted its application, which may take some seconds.
   *
   * @throws LostProgramException when a step that is begun again would fail for the same reason: an
   *     input outside the store has changed, or a program is not there any more
   * @throws IOException when another try may do better; the message is for people
   */
  RunningStep start(StepRequest request) throws IOException;

  /**
   * Follows a step that a manager before this one has begun.
   *
   * @param application of the step
   */
  RunningStep adopt(StepRequest request, ApplicationId application) throws IOException;
}
