package dev.sailfish.chaos;

import java.io.IOException;

/** The service that faults strike. */
public interface Target {
  /**
   * Puts right what faults have left: when it returns, all of the service runs and serves, as it
   * did before. Called when no fault strikes any more.
   */
  void repair() throws IOException, InterruptedException;
}
