package dev.sailfish.workflow.seal;

import java.io.IOException;

/** What YARN says of an application, as far as sealing needs it. */
@FunctionalInterface
public interface Applications {
  /** How an application is. */
  enum Life {
    /** It waits, or runs. */
    RUNS,
    /** It has ended, however. */
    ENDED,
    /** YARN does not know it: it ended long ago, or belongs to another cluster. */
    UNKNOWN
  }

  /**
   * Asks the ResourceManager.
   *
   * @param id of the application, as YARN writes it
   */
  Life life(String id) throws IOException;
}
