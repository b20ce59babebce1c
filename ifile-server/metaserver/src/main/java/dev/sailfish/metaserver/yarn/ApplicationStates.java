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

  /** There is an answer, but it does not say what becomes of this application. */
  final class OddAnswerException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With what is odd about it. */
    public OddAnswerException(String message) {
      super(message);
    }
  }

  /**
   * Asks for one application.
   *
   * @param application {@code application_1234_0001}
   * @throws OddAnswerException when it is only this application that there is no answer for
   * @throws IOException when nobody answers in a bounded time, or somebody else does
   */
  Application of(String application) throws IOException;
}
