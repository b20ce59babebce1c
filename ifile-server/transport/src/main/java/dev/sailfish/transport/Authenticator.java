package dev.sailfish.transport;

import dev.sailfish.protocol.Status;

/** Knows the keys of those who may connect to a {@link FrameServer}. Thread-safe. */
public interface Authenticator {
  /** What was found; exactly one method is called, once, now or later, on any thread. */
  interface Answer {
    /** This is the principal, and its key. */
    void found(Principal principal);

    /** It is a user, who proves who he is by tokens. */
    default void negotiate(Negotiation negotiation) {
      refused(Status.INTERNAL, "users do not connect here");
    }

    /**
     * Nobody of that name may connect, or not now.
     *
     * @param message one sentence: what, where, and what to do
     */
    void refused(Status status, String message);
  }

  /**
   * Looks for a principal, or passes the search on to another thread, but does not wait; the answer
   * must come in bounded time.
   *
   * @param name as in HELLO; of any content
   */
  void find(String name, Answer answer);

  /**
   * Binds a job to the key that its first client brought, and answers as {@link #find} does: with
   * the principal whose key counts, which is the given one or the one that another client was
   * faster with. Called after {@link Answer#wanted}; {@code wanted} is no answer to it.
   *
   * @param name as in {@link #find}
   */
  void bind(String name, byte[] key, Answer answer);
}
