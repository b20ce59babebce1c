package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.Status;

/**
 * Finds out who the user at the other end of one connection is, by tokens that both sides send in
 * turns. One object for each connection; its methods are called one after the other.
 */
public interface Negotiation {
  /** What follows from a token; exactly one method is called, once, now or later, on any thread. */
  interface Step {
    /** The user is to send another token, after this one of ours. */
    void more(byte[] token);

    /**
     * It is known who he is.
     *
     * @param token the last one of ours; empty when there is nothing to say
     */
    void done(byte[] token, Principal user);

    /**
     * He has not proved who he is, or that cannot be told now.
     *
     * @param message one sentence: what, where, and what to do
     */
    void refused(Status status, String message);
  }

  /**
   * Takes the user's next token, or passes it on to another thread, but does not wait; the answer
   * must come in bounded time, and the number of tokens must be bounded.
   *
   * @param session both nonces of the connection, the client's first
   * @param token of any content, at most as long as a frame's header
   */
  void next(byte[] session, byte[] token, Step step);
}
