package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.transport.RequestRefusedException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/**
 * Where changes of the core go before they are made. One metaserver at a time leads: its entries
 * are kept, put in one order, and applied in that order wherever there is a copy of the core.
 */
interface Journal extends Closeable {
  /**
   * The copy of the core that the journal works on. Called by one thread at a time, which holds no
   * lock of the journal.
   */
  interface Machine {
    /** Makes the change of an entry. */
    JournalReply apply(JournalEntry entry);

    /** Writes the state that there is now; nothing is applied meanwhile. */
    void save(OutputStream out) throws IOException;

    /** Replaces the state by one that was written. */
    void load(InputStream in) throws IOException;

    /**
     * The journal can take no further entry, and does not recover: this metaserver must end.
     *
     * @param what what happened, where, and what to do
     */
    void failed(String what, Throwable cause);
  }

  /**
   * Reads what is there into the machine, and takes entries from then on.
   *
   * @throws IOException saying what cannot be read or is in use, and what to do
   */
  void start(Machine machine) throws IOException;

  /**
   * Has an entry kept and applied. Does not wait; the future completes on the journal's thread, or
   * here. It always completes normally unless the journal fails: a refusal is a reply. NOT_LEADER
   * may be the reply to an entry that is applied all the same: entries can be repeated.
   */
  CompletableFuture<JournalReply> submit(JournalEntry entry);

  /**
   * Completes with true once it is certain that this metaserver still leads and has applied all
   * that any leader was told before this call; false when it does not lead.
   */
  CompletableFuture<Boolean> confirm();

  /**
   * Takes what the journal of another metaserver tells this one. Does not wait.
   *
   * @param kind code of a {@link RaftMessage}
   * @param message belongs to the journal from here on
   * @return the answer, or what the journal says against it
   * @throws RequestRefusedException when there is no such kind, this metaserver has no peers, or
   *     too many messages wait
   */
  CompletableFuture<byte[]> receive(int kind, byte[] message) throws RequestRefusedException;

  /** A number above 0 that names this metaserver's time as the leader, or 0 while it is not. */
  long term();

  /** Whether this metaserver leads, or hears one that does. */
  boolean hasLeader();

  /** Whether other metaservers may lead. */
  boolean hasPeers();

  /** Stops; entries that have no reply yet may get none. */
  @Override
  void close();
}
