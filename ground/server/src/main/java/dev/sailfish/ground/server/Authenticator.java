package dev.sailfish.ground.server;

import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.secret.Handshake;

/** Knows the keys of those who may connect to a server. Thread-safe. */
public interface Authenticator {
  /** Lets in who knows the cluster's secret, and nobody else. */
  static Authenticator ofCluster(byte[] secret) {
    Principal cluster = Principal.ofCluster(secret);
    return (name, keyId, answer) -> {
      if (name.equals(Handshake.CLUSTER)) {
        answer.found(cluster);
      } else {
        answer.refused(Status.UNAUTHENTICATED, "principal must be 'cluster'");
      }
    };
  }

  /** What was found; exactly one method is called, once, now or later, on any thread. */
  interface Answer {
    /**
     * This is the principal.
     *
     * @param taskKey of a task: what both sides prove that they know, and under which the task is
     *     told its job's id and key; null: the principal's key does for that, and nothing is told
     */
    void found(Principal principal, byte[] taskKey);

    /** This is the principal, and its key. */
    default void found(Principal principal) {
      found(principal, null);
    }

    /** Nobody is known by that key: the task must introduce its job. */
    void introduce();

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
   * A task's introduction, of any content.
   *
   * @param name as in HELLO
   * @param session both nonces of the connection, the client's first
   * @param ephemeralKey as in AUTHENTICATE
   * @param box as in AUTHENTICATE
   * @param request which it came with; is answered by {@link Answer} alone
   */
  record Introduced(
      String name, byte[] session, byte[] ephemeralKey, byte[] box, Request request) {}

  /**
   * Looks for a principal, or passes the search on to another thread, but does not wait; the answer
   * must come in bounded time.
   *
   * @param name as in HELLO; of any content
   * @param keyId as in HELLO; of any content
   */
  void find(String name, byte[] keyId, Answer answer);

  /**
   * Takes an introduction, and answers as {@link #find} does: with the job's principal and the key
   * of the box. Called after {@link Answer#introduce}, which is no answer to it; so a server that
   * never gives that answer need not take any.
   */
  default void introduce(Introduced introduced, Answer answer) {
    answer.refused(Status.UNAUTHENTICATED, "jobs are not introduced to this server");
  }
}
