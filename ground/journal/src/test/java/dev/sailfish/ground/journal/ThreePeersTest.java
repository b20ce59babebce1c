package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three peers of a toy state machine of which one stops, and comes back. */
@Timeout(180)
class ThreePeersTest {
  private static final List<String> IDS = List.of("m1", "m2", "m3");

  @TempDir private Path directory;

  private final Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
  private final Map<String, ToyMachine> running = new HashMap<>();
  private final Map<String, SocketPeers.Listener> listeners = new HashMap<>();
  private final AtomicInteger longestPieceBytes = new AtomicInteger();

  /** What has passed by a peer's clock besides what really did. */
  private final Map<String, AtomicLong> passedNs = new HashMap<>();

  @BeforeEach
  void start() throws IOException {
    for (String id : IDS) {
      listen(id, 0);
      int port = listeners.get(id).port();
      peers.put(id, InetSocketAddress.createUnresolved("localhost", port));
    }
    for (String id : IDS) {
      start(id, id);
    }
  }

  private void listen(String id, int port) throws IOException {
    listeners.put(
        id, new SocketPeers.Listener(port, (kind, message) -> receive(id, kind, message)));
  }

  private CompletableFuture<byte[]> receive(String id, int kind, byte[] message) {
    if (kind == PeerMessage.INSTALL_SNAPSHOT.code()) {
      longestPieceBytes.accumulateAndGet(message.length, Math::max);
    }
    return running.containsKey(id)
        ? running.get(id).journal.receive(kind, message)
        : CompletableFuture.failedFuture(new IOException("stopped"));
  }

  private synchronized void start(String id, String place) throws IOException {
    JournalSettings settings =
        new JournalSettings("toy", Optional.of(directory.resolve(place)), true, 50, "c", id, peers);
    AtomicLong passed = passedNs.computeIfAbsent(id, peer -> new AtomicLong());
    running.put(
        id,
        new ToyMachine(
            Journal.of(settings, new SocketPeers(3000)),
            id,
            () -> System.nanoTime() + passed.get()));
  }

  private synchronized void stop(String id) {
    running.remove(id).close();
  }

  @AfterEach
  void stop() throws IOException {
    running.values().forEach(ToyMachine::close);
    for (SocketPeers.Listener listener : listeners.values()) {
      listener.close();
    }
  }

  private boolean leads(String id) {
    return running.get(id).journal.term() != 0;
  }

  private String leader() {
    String[] leader = {null};
    await()
        .atMost(ToyMachine.DEADLINE)
        .until(
            () -> {
              leader[0] = null;
              running.forEach((id, machine) -> leader[0] = machine.driver.tick() ? id : leader[0]);
              return leader[0] != null;
            });
    return leader[0];
  }

  private void awaitWord(String key, String value) {
    await()
        .atMost(ToyMachine.DEADLINE)
        .until(() -> running.values().stream().allMatch(m -> value.equals(m.words().get(key))));
  }

  @Test
  void allGetTheSameAndAnotherOneLeadsWhenTheLeaderStops() throws Exception {
    String first = leader();
    List<CompletableFuture<byte[]>> replies = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      replies.add(running.get(first).submit("k" + i % 100, "" + i));
    }
    for (CompletableFuture<byte[]> reply : replies) {
      reply.get(ToyMachine.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    awaitWord("k99", "1999");
    Map<String, String> words = running.get(first).words();
    running.values().forEach(machine -> assertThat(machine.words()).isEqualTo(words));
    assertThat(running.get(first).journal.confirm())
        .succeedsWithin(ToyMachine.DEADLINE)
        .isEqualTo(true);
    long timeMs = running.get(first).timeMs();
    stop(first);
    String next = leader();
    assertThat(next).isNotEqualTo(first);
    assertThat(running.get(next).put("k99", "after")).isEqualTo("1999");
    assertThat(running.get(next).timeMs()).isGreaterThanOrEqualTo(timeMs);
    start(first, first);
    awaitWord("k99", "after");
  }

  /** Three hours by the clock of a peer, which is read as often as it is to be. */
  private void passHours(String id) {
    for (int i = 0; i < 3 * 3600; i++) {
      passedNs.get(id).addAndGet(TimeUnit.SECONDS.toNanos(1));
      running.get(id).driver.tick();
    }
  }

  private void assertNoHourHasPassed(String leader, long sinceMs) {
    assertThat(running.get(leader).timeMs())
        .isBetween(sinceMs, sinceMs + TimeUnit.HOURS.toMillis(1));
    assertThat(running.get(leader).driver.nowMs())
        .isBetween(sinceMs, sinceMs + TimeUnit.HOURS.toMillis(1));
  }

  @Test
  void timeWithoutALeaderDoesNotCount() throws Exception {
    String first = leader();
    ToyMachine alone = running.get(first);
    alone.put("k", "1");
    long timeMs = alone.timeMs();
    List<String> others = new ArrayList<>(IDS);
    others.remove(first);
    stop(others.get(0));
    ToyMachine last = running.remove(others.get(1));
    alone.submit("k", "2"); // its log is the longest: nobody else is elected without it
    last.close();
    await().atMost(ToyMachine.DEADLINE).until(() -> !alone.driver.tick());
    passHours(first);
    start(others.get(0), others.get(0));
    assertThat(leader()).isEqualTo(first);
    assertNoHourHasPassed(first, timeMs);
    start(others.get(1), others.get(1));
  }

  @Test
  void timeForWhichAPeerHasRunDoesNotCount() throws Exception {
    String first = leader();
    running.get(first).put("k", "1");
    awaitWord("k", "1");
    long timeMs = running.get(first).timeMs();
    IDS.stream().filter(id -> !id.equals(first)).forEach(this::passHours);
    stop(first);
    String next = leader();
    assertNoHourHasPassed(next, timeMs);
  }

  /** It would serve nobody before it has applied all. */
  @Test
  void onePeerThatIsFarBehindLeavesTheLeadToTheOther() throws Exception {
    String first = leader();
    List<String> others = new ArrayList<>(IDS);
    others.remove(first);
    ToyMachine slow = running.get(others.get(0));
    ToyMachine other = running.get(others.get(1));
    slow.applications.drainPermits();
    try {
      for (int i = 0; i < 2 * Candidacy.MOST_BEHIND; i++) {
        running.get(first).put("k" + i, "v");
      }
      stop(first);
      await().atMost(ToyMachine.DEADLINE).until(other.driver::tick);
      assertThat(other.put("k0", "after")).isEqualTo("v");
      assertThat(other.journal.keepsUp()).isTrue();
      assertThat(slow.journal.keepsUp()).as("one that is far behind").isFalse();
    } finally {
      slow.applications.release(1_000_000);
    }
    awaitWord("k0", "after");
    await().atMost(ToyMachine.DEADLINE).until(slow.journal::keepsUp);
  }

  /** Its port is closed, and with it the connections to it: nobody waits for its silence. */
  @Test
  void anotherOneLeadsAtOnceWhenTheLeadersProcessEnds() throws Exception {
    long shortestMs = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      String ended = leader();
      running.get(ended).put("k" + i, "v");
      awaitWord("k" + i, "v");
      long startNs = System.nanoTime();
      listeners.get(ended).close();
      await()
          .atMost(ToyMachine.DEADLINE)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> IDS.stream().anyMatch(id -> !id.equals(ended) && leads(id)));
      shortestMs = Math.min(shortestMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
      stop(ended);
      listen(ended, peers.get(ended).getPort());
      start(ended, ended);
      awaitWord("k" + i, "v");
    }
    assertThat(shortestMs)
        .as("shortest time until another one leads, in ms; the leader was heard half of that ago")
        .isLessThan(RaftSettings.LONGEST_SILENCE_MS / 8);
  }

  @Test
  void oneThatDoesNotLeadTakesNoEntries() throws Exception {
    String leader = leader();
    for (String id : IDS) {
      ToyMachine machine = running.get(id);
      assertThat(machine.leads()).isEqualTo(id.equals(leader));
      if (!id.equals(leader)) {
        assertThat(machine.submit("k", "v"))
            .failsWithin(ToyMachine.DEADLINE)
            .withThrowableOfType(ExecutionException.class)
            .withMessageContaining("does not lead");
        assertThat(machine.journal.confirm()).succeedsWithin(ToyMachine.DEADLINE).isEqualTo(false);
      }
    }
  }

  /** It gets the leader's snapshot, while it may be writing one itself. */
  @Test
  void onePeerThatLostItsDiskGetsASnapshot() throws Exception {
    String leader = leader();
    String lost = IDS.stream().filter(id -> !id.equals(leader)).findFirst().orElseThrow();
    stop(lost);
    String large = "v".repeat(100 << 10); // so that the log has files which can be deleted
    for (int i = 0; i < 150; i++) {
      running.get(leader).put("k" + i, large);
    }
    await().atMost(ToyMachine.DEADLINE).until(() -> running.get(leader).views() == 0);
    start(lost, "new-disk");
    awaitWord("k149", large);
    assertThat(running.get(lost).words()).isEqualTo(running.get(leader).words());
    assertThat(running.get(lost).entries()).as("the rest is in the snapshot").isLessThan(120);
    assertThat(longestPieceBytes.get())
        .as("longest message with a piece of a snapshot")
        .isBetween(1, RaftSettings.SNAPSHOT_PIECE_BYTES + (4 << 10));
  }
}
