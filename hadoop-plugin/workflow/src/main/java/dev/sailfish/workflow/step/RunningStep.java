package dev.sailfish.workflow.step;

import java.io.IOException;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** A step that has begun. Thread-safe; each method but {@link #application} asks YARN. */
public interface RunningStep {
  /** How far the application is. */
  enum State {
    /** It waits, or runs. */
    RUNNING,
    /** It ended well; whether the outputs are stored the master says. */
    SUCCEEDED,
    /** It ended otherwise, also because it was killed. */
    FAILED
  }

  /** The application of YARN. */
  ApplicationId application();

  /** How far it is. Once it has ended, what it has left in the staging area is removed. */
  State state() throws IOException;

  /** In percent, from 0 to 100. */
  int progress() throws IOException;

  /** Why it failed, for people; empty when it did not. */
  String cause() throws IOException;

  /** Ends it; nothing happens when it has ended. */
  void kill() throws IOException;
}
