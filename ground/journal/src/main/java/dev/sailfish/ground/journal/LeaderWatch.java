package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out at once that the process of the leader has ended, where Raft only hears that it is
 * silent: a connection to it ends, and its host says that nothing listens there any more. When most
 * peers have found that out, the one of them whose log goes farthest asks for votes ({@link
 * Standing}). Whatever else happens to a leader, or to this, is left to Raft, which waits for
 * {@link RaftSettings#LONGEST_SILENCE_MS}. Any peer may ask for votes at any time, so nothing
 * depends on whether this is right.
 *
 * <p>Has one thread. {@link #answer} is for any thread.
 */
final class LeaderWatch implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderWatch.class);

  /** How long one that leads is watched before it is asked again whether it leads. */
  private static final long LOOK_MS = 100;

  /**
   * Others find out some milliseconds earlier or later; each time it is waited that much longer.
   */
  private static final long ASK_AGAIN_MS = 10;

  private static final long LONGEST_ASK_AGAIN_MS = 150;

  /** Raft's part of it, for any thread. */
  interface Election {
    /** The peer that leads, as far as this one knows; null when none does. */
    String leader();

    /** How this peer stands. */
    Standing standing(boolean misses);

    /**
     * Has this peer ask for votes, if that one has led until now.
     *
     * @return false when Raft has it do something else now
     * @throws IOException when it may not
     */
    boolean askForVotes(String leader) throws IOException;
  }

  /** How other peers are reached. */
  interface Peers {
    /** Connects to one of them; fails as {@link PeerNetwork#open} does. */
    PeerConnection open(String peer) throws IOException;

    /** Asks all but that leader; those that do not answer are left out. */
    Map<String, byte[]> ask(String leader, byte[] message) throws InterruptedIOException;
  }

  private final String self;
  private final Set<String> ids;
  private final Peers peers;
  private final Election election;
  private final Thread thread;
  private volatile String missed;
  private volatile boolean closed;

  /**
   * Begins with {@link #start}.
   *
   * @param name of the thread
   * @param self id of this peer
   * @param ids of all peers
   */
  LeaderWatch(String name, String self, Set<String> ids, Peers peers, Election election) {
    this.self = self;
    this.ids = Set.copyOf(ids);
    this.peers = peers;
    this.election = election;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    String watched = self;
    try {
      while (!closed) {
        String leader = election.leader();
        watched = leader == null ? watched : leader;
        if (watched.equals(self) || !hasEnded(watched)) {
          missed = null;
          pause(LOOK_MS);
        } else {
          missed = watched;
          succeed(watched);
        }
      }
    } catch (InterruptedIOException e) {
      LOG.debug("the leader is not watched any more", e);
    } catch (RuntimeException e) {
      LOG.warn("the leader is not watched any more: when it ends, that is noticed later", e);
    }
  }

  /** Whether nobody else leads since: either that one does, or nobody that is heard. */
  private boolean isLast(String leader) {
    String now = election.leader();
    return !closed && (now == null || now.equals(leader));
  }

  /**
   * Watches it for as long as nobody else leads.
   *
   * @return false when another one leads, or nobody can tell
   */
  private boolean hasEnded(String leader) throws InterruptedIOException {
    while (isLast(leader)) {
      try (PeerConnection connection = peers.open(leader)) {
        missed = null;
        while (!connection.awaitEnd(LOOK_MS)) {
          if (!isLast(leader)) {
            return false;
          }
        }
      } catch (IOException e) {
        requireNoInterrupt();
        return e instanceof ConnectException || e.getCause() instanceof ConnectException;
      }
    }
    return false;
  }

  /** Asks the others until somebody's turn has come, and that one asks for votes; not for long. */
  private void succeed(String leader) throws InterruptedIOException {
    for (long waitMs = ASK_AGAIN_MS;
        waitMs < LONGEST_ASK_AGAIN_MS && isLast(leader);
        waitMs += ASK_AGAIN_MS) {
      if (election.standing(true).isNext(self, ask(leader), ids.size())) {
        askForVotes(leader);
        pause(LOOK_MS); // until Raft has come to an end with it
      }
      pause(waitMs);
    }
  }

  private Map<String, Standing> ask(String leader) throws InterruptedIOException {
    Map<String, Standing> others = new HashMap<>();
    for (var answer : peers.ask(leader, leader.getBytes(StandardCharsets.UTF_8)).entrySet()) {
      try {
        others.put(answer.getKey(), Standing.decode(answer.getValue()));
      } catch (IllegalArgumentException e) {
        LOG.warn("a peer does not tell how it stands: peer={}", answer.getKey(), e);
      }
    }
    return others;
  }

  private void askForVotes(String leader) throws InterruptedIOException {
    try {
      if (election.askForVotes(leader)) {
        LOG.info("the process of the leader has ended, this peer asks for votes: was={}", leader);
      }
    } catch (IOException e) {
      requireNoInterrupt();
      LOG.warn("the process of the leader has ended, and this peer may not ask for votes", e);
    }
  }

  /**
   * What is said to a peer that asks.
   *
   * @throws JournalException BAD_REQUEST when it asks about something else than a peer
   */
  byte[] answer(byte[] message) throws JournalException {
    String leader = new String(message, StandardCharsets.UTF_8);
    if (!ids.contains(leader)) {
      throw new JournalException(
          JournalException.Reason.BAD_REQUEST,
          "no peer has the id that is asked about: bytes=" + message.length + " known=" + ids);
    }
    return election.standing(leader.equals(missed)).encode();
  }

  private static void pause(long ms) throws InterruptedIOException {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    requireNoInterrupt();
  }

  private static void requireNoInterrupt() throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while the leader was watched");
    }
  }

  /** Ends the thread, soon. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
