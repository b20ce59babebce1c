package dev.sailfish.workflow.lead;

import java.io.IOException;

/**
 * What one manager at a time holds, and loses when it is silent for some time. Each method waits
 * for the store's answer; an IOException says that there was none.
 */
public interface Lock {
  /** Tries to get it; false: another one holds it. */
  boolean take() throws IOException;

  /** Says that the holder lives; false: it has lost the lock. */
  boolean keep() throws IOException;

  /** Gives it back, if it is held. */
  void release() throws IOException;
}
