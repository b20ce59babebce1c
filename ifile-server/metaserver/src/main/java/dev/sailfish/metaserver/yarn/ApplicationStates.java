package dev.sailfish.metaserver.yarn;

import java.io.IOException;

/** Where the state of YARN applications is known. Used by one thread. */
public interface ApplicationStates {
  /** What matters of an application's state. */
  enum Life {
    /** Submitted, accepted or running. */
    ALIVE,
    /** Finished, failed or killed. */
    ENDED,
    /** Never heard of, or forgotten. */
    UNKNOWN
  }

  /**
   * What is known of an application.
   *
   * @param user who submitted it; empty when that is not known
   */
  record Application(Life life, String user) {}

  /**
   * Asks for one application.
   *
   * @param application {@code application_1234_0001}
   * @throws IOException when there is no answer, or one that makes no sense, in a bounded time
   */
  Application of(String application) throws IOException;
}
