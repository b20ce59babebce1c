package dev.sailfish.ground.journal;

import java.io.IOException;
import java.io.InputStream;

/**
 * What a {@link JournalDriver} keeps the same on all peers: a state that the same entries in the
 * same order bring to the same, without a clock, disk or network of its own. The driver calls one
 * method at a time, with its lock held, but for those that say otherwise.
 */
public interface StateMachine {
  /**
   * Makes the change of an entry. What is wrong with the entry itself is a reply.
   *
   * @param timeMs how late it is by the leaders' clocks; never goes back
   * @return the reply; only the leader's caller gets it
   * @throws RuntimeException when the entry cannot be understood: the process ends, because it must
   *     not be passed over
   */
  byte[] apply(byte[] entry, long timeMs);

  /** Entries have been applied; called without the lock. */
  default void applied() {}

  /** The state as it is now. There is one at a time, and it is closed before {@link #load}. */
  StateView freeze();

  /**
   * Replaces the state by one that a {@link StateView} wrote; called without the lock, while
   * nothing is led.
   *
   * @return how late it was by what was read, in milliseconds
   * @throws IOException when that is damaged or of another version
   */
  long load(InputStream in) throws IOException;

  /** What this peer says first when it begins to lead; called without the lock. */
  byte[] firstEntry();

  /** The first entry is applied: this peer leads. */
  default void lead(long nowMs) {}

  /** This peer leads no more. */
  default void follow() {}
}
