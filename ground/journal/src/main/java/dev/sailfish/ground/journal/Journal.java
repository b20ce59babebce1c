package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;

/**
 * Where changes go before they are made. One of the peers at a time leads: its entries are kept,
 * put in one order, and applied in that order by every peer. Thread-safe.
 */
public interface Journal extends Closeable {
  /** Longest message of a peer: what {@link #receive} must be able to be given. */
  int LONGEST_MESSAGE_BYTES = RaftSettings.LONGEST_MESSAGE_BYTES;

  /**
   * A leader that several peers do not hear for so long, in milliseconds, is followed by another.
   */
  int ELECTION_TIMEOUT_MS = RaftSettings.LONGEST_SILENCE_MS;

  /**
   * What the journal works on. Called by one thread at a time but for what says otherwise; the
   * caller holds no lock of the journal.
   */
  interface Machine {
    /** The time that entries get which are journaled now, in milliseconds; from any thread. */
    long nowMs();

    /** Makes the change of an entry, and returns the reply, which is the caller's. */
    byte[] apply(byte[] entry, long timeMs);

    /** Entries have been applied that came together, before those who wait for them are told. */
    void applied();

    /** The state as it is now; {@link StateView#write} is called on another thread. */
    StateView freeze();

    /** Replaces the state by one that was written. */
    void load(InputStream in) throws IOException;

    /**
     * The journal can take no further entry, and does not recover: this process must end. From any
     * thread, also with an Error as the cause.
     *
     * @param what what happened, where, and what to do
     */
    void failed(String what, Throwable cause);
  }

  /**
   * The journal that the settings ask for.
   *
   * @param network the way to the other peers
   */
  static Journal of(JournalSettings settings, PeerNetwork network) {
    return settings.directory().isEmpty() ? new NoJournal() : new RaftJournal(settings, network);
  }

  /**
   * Reads what is there into the machine, and takes entries from then on.
   *
   * @throws IOException saying what cannot be read or is in use, and what to do
   */
  void start(Machine machine) throws IOException;

  /**
   * Has an entry kept and applied. Does not wait; the future completes on the journal's thread, or
   * here, with the machine's reply or a {@link JournalException}. NOT_LEADER may be said of an
   * entry that is applied all the same: entries can be repeated. Entries of one thread are applied
   * in their order.
   *
   * @param entry belongs to the journal from here on
   */
  CompletableFuture<byte[]> submit(byte[] entry);

  /**
   * Completes with true once it is certain that this peer still leads and has applied all that any
   * leader was told before this call; false when it does not lead.
   */
  CompletableFuture<Boolean> confirm();

  /**
   * Takes what the journal of another peer tells this one. Does not wait.
   *
   * @param kind what came with the message, see {@link PeerNetwork}
   * @param message belongs to the journal from here on
   * @return the answer, or what the journal says against it: a {@link JournalException} when there
   *     is no such kind, this one has no peers, or too many messages wait
   */
  CompletableFuture<byte[]> receive(int kind, byte[] message);

  /** A number above 0 that names this peer's time as the leader, or 0 while it is not. */
  long term();

  /**
   * Whether this peer leads, or hears one that does and has applied nearly all of its entries: then
   * another one may be stopped, and nobody waits for this one.
   */
  boolean keepsUp();

  /** Whether others may lead. */
  boolean hasPeers();

  /** Stops; entries that have no reply yet may get none. */
  @Override
  void close();
}
