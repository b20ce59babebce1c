package dev.sailfish.metaserver.state;

import java.util.concurrent.CompletableFuture;

/** Finds out whether anybody listens at the address of a chunkserver that is silent. */
public interface ServerProbe {
  /** What came of a try to connect. */
  enum Answer {
    /** Somebody listens: the process is there. */
    CONNECTED,
    /** The host says that nobody listens: the process is gone. */
    REFUSED,
    /** Nothing is known: no answer, no way, no such name. */
    NO_ANSWER
  }

  /**
   * Tries once. Does not wait.
   *
   * @return completes with an answer within seconds, on any thread; never exceptionally
   */
  CompletableFuture<Answer> ask(String host, int port);
}
