package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a peer does when the connection to the leader ends; the third peer is scripted. */
@Timeout(60)
class LeaderWatchTest {
  private static final byte[] LEADER = "a".getBytes(StandardCharsets.UTF_8);

  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger elections = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile String leader = "a";
  private volatile int accepted = 1;
  private volatile boolean isWatched = true;
  private volatile IOException refusal = new ConnectException("Connection refused");
  private volatile byte[] told = new Standing(true, true, 3, 19).encode();
  private LeaderWatch watch;

  /** To the leader: the first one lasts until the end, later ones fail. */
  private PeerConnection open() throws IOException {
    if (opened.getAndIncrement() > 0) {
      throw new IOException("cannot connect", refusal);
    }
    return new PeerConnection() {
      @Override
      public boolean isOpen() {
        return end.getCount() > 0;
      }

      @Override
      public byte[] ask(int kind, byte[] message) {
        throw new UnsupportedOperationException();
      }

      @Override
      public boolean awaitEnd(long waitMs) throws InterruptedIOException {
        try {
          return end.await(waitMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }

      @Override
      public void close() {
        isWatched = false;
      }
    };
  }

  private final class Script implements LeaderWatch.Election, LeaderWatch.Peers {
    @Override
    public String leader() {
      return leader;
    }

    @Override
    public Standing standing(boolean misses) {
      return new Standing(misses, true, 3, 20);
    }

    @Override
    public boolean askForVotes(String before) {
      assertThat(before).isEqualTo("a");
      if (elections.incrementAndGet() < accepted) {
        return false;
      }
      leader = "b";
      return true;
    }

    @Override
    public PeerConnection open(String peer) throws IOException {
      assertThat(peer).isEqualTo("a");
      return LeaderWatchTest.this.open();
    }

    @Override
    public Map<String, byte[]> ask(String ended, byte[] message) {
      assertThat(message).isEqualTo(LEADER);
      asked.incrementAndGet();
      return Map.of("c", told);
    }
  }

  private void start() {
    Script script = new Script();
    watch = new LeaderWatch("watch", "b", Set.of("a", "b", "c"), script, script);
    watch.start();
    await().until(() -> opened.get() == 1);
  }

  @AfterEach
  void stop() {
    watch.close();
  }

  @Test
  void asksForVotesOnceWhenTheLeaderHasEnded() throws JournalException {
    start();
    assertThat(Standing.decode(watch.answer(LEADER)).misses()).isFalse();
    end.countDown();
    await().until(() -> elections.get() == 1);
    await().until(() -> !Standing.decode(watch.answer(LEADER)).misses());
    assertThat(elections).hasValue(1);
  }

  /** Raft may have begun to doubt, which it does alone, before the end of the process is seen. */
  @Test
  void whoWasLastHeardIsWatchedWhileNobodyLeads() {
    start();
    leader = null;
    accepted = 2;
    end.countDown();
    await().until(() -> elections.get() == 2);
    await().until(() -> !Standing.decode(watch.answer(LEADER)).misses());
    assertThat(elections).hasValue(2);
  }

  @Test
  void oneThatAnotherHasFollowedIsNotWatched() {
    start();
    leader = "b";
    await().until(() -> !isWatched);
    end.countDown();
    assertThat(asked).hasValue(0);
    assertThat(elections).hasValue(0);
  }

  @Test
  void tellsOthersThatTheLeaderHasEnded() throws JournalException {
    told = new Standing(true, true, 3, 21).encode();
    start();
    end.countDown();
    await().until(() -> Standing.decode(watch.answer(LEADER)).misses());
    await().until(() -> asked.get() > 2);
    assertThat(elections).as("the other one's log is longer").hasValue(0);
    assertThat(Standing.decode(watch.answer("c".getBytes(StandardCharsets.UTF_8))).misses())
        .as("another leader")
        .isFalse();
  }

  @Test
  void waitsForOneThatStillHearsTheLeader() {
    told = new Standing(false, true, 3, 19).encode();
    start();
    end.countDown();
    await().until(() -> asked.get() > 2);
    assertThat(elections).hasValue(0);
    told = new Standing(true, true, 3, 19).encode();
    await().until(() -> elections.get() == 1);
  }

  @Test
  void onlyPeersCanBeAskedAbout() {
    start();
    assertThatThrownBy(() -> watch.answer(new byte[] {7, 7, 7}))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("no peer has the id that is asked about: bytes=3");
  }

  @Test
  void anAnswerOfOtherBytesIsNone() {
    told = new byte[3];
    start();
    end.countDown();
    await().until(() -> asked.get() > 2);
    assertThat(elections).hasValue(0);
  }

  /** A host that is not reached may have a leader that works. */
  @Test
  void aLeaderThatCannotBeReachedMayBeThere() throws JournalException {
    refusal = new IOException("No route to host");
    start();
    end.countDown();
    await().until(() -> opened.get() > 3);
    assertThat(asked).hasValue(0);
    assertThat(Standing.decode(watch.answer(LEADER)).misses()).isFalse();
  }
}
