package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The journal of a single peer: what it keeps, and what it refuses. */
@Seeded
@Timeout(180)
class RaftJournalTest {
  private static final int SNAPSHOT_ENTRIES = 200;
  private static final long NO_SNAPSHOT = 1_000_000;

  @TempDir private Path directory;

  private JournalSettings settings(String cluster, long snapshotEntries) {
    return new JournalSettings(
        "toy", Optional.of(directory), true, snapshotEntries, cluster, "", Map.of());
  }

  private ToyMachine start(long snapshotEntries) throws IOException {
    return ToyMachine.leading(settings("c", snapshotEntries));
  }

  private static void fill(ToyMachine machine, SplittableRandom random, int entries)
      throws Exception {
    List<CompletableFuture<byte[]>> replies = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      replies.add(machine.submit("k" + random.nextInt(1000), "v" + random.nextInt()));
      if (random.nextInt(10) == 0) {
        replies.get(i).get(ToyMachine.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
    }
    for (CompletableFuture<byte[]> reply : replies) {
      reply.get(ToyMachine.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private List<Path> files(Predicate<String> name) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> name.test(path.getFileName().toString())).sorted().toList();
    }
  }

  private List<Path> snapshots() throws IOException {
    return files(name -> name.matches("snapshot\\.\\d+_\\d+"));
  }

  private void awaitSnapshots(int count) {
    await().atMost(ToyMachine.DEADLINE).until(() -> snapshots().size() >= count);
  }

  @Test
  void aRestartFindsWhatWasAcknowledgedAndTimeGoesOn(SplittableRandom random) throws Exception {
    Map<String, String> before;
    long timeMs;
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      fill(machine, random, 300);
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.driver.nowMs() > 100);
      machine.put("last", "1");
      before = machine.words();
      timeMs = machine.timeMs();
      assertThat(timeMs).isGreaterThan(100);
    }
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      assertThat(machine.words()).isEqualTo(before);
      assertThat(machine.driver.nowMs()).isBetween(timeMs, timeMs + 60_000);
      assertThat(machine.put("last", "2")).isEqualTo("1");
      assertThat(machine.driver.failure()).isNotDone();
    }
  }

  /** Many at once share transactions, and each is told what it is to be told, in order. */
  @Test
  void eachOfManyEntriesGetsItsOwnReply() throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      List<CompletableFuture<byte[]>> replies = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        replies.add(machine.submit("same", "" + i));
      }
      for (int i = 0; i < replies.size(); i++) {
        byte[] reply = replies.get(i).get(ToyMachine.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ToyMachine.text(reply)).isEqualTo(i == 0 ? "null" : "" + (i - 1));
      }
    }
  }

  @Test
  void aSnapshotStandsForTheEntriesBeforeIt(SplittableRandom random) throws Exception {
    Map<String, String> before;
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      for (int count = 1; count <= 2; count++) {
        fill(machine, random, 2 * SNAPSHOT_ENTRIES);
        awaitSnapshots(count);
      }
      for (Path snapshot : snapshots()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(snapshot)))
            .as("it may have secrets in it")
            .isEqualTo("rw-------");
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.views() == 0);
      before = machine.words();
    }
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      assertThat(machine.words()).isEqualTo(before);
      assertThat(machine.entries()).as("the rest is in the snapshot").isLessThan(800);
    }
  }

  /** Not before a quarter of what is in it has come anew. */
  @Test
  void aLargeStateIsWrittenLessOften(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      machine.put("large", "x".repeat(1 << 20));
      fill(machine, random, SNAPSHOT_ENTRIES);
      awaitSnapshots(1);
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.views() == 0);
      fill(machine, random, 3 * SNAPSHOT_ENTRIES);
      assertThat(machine.views() + snapshots().size()).isEqualTo(1);
      machine.put("large", "y".repeat(1 << 20));
      awaitSnapshots(2);
    }
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      fill(machine, random, 3 * SNAPSHOT_ENTRIES);
      assertThat(machine.views() + snapshots().size()).as("that of before counts").isEqualTo(2);
    }
  }

  /** Nobody waits for a snapshot, and what is applied meanwhile is not in it. */
  @Test
  void entriesAreAppliedWhileASnapshotIsWritten(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      machine.pieces.drainPermits();
      fill(machine, random, SNAPSHOT_ENTRIES);
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.views() == 1);
      machine.put("meanwhile", "1");
      fill(machine, random, 3 * SNAPSHOT_ENTRIES);
      assertThat(machine.views()).as("one at a time").isEqualTo(1);
      assertThat(snapshots()).isEmpty();
      machine.pieces.release(1_000_000);
      awaitSnapshots(1);
      assertThat(Files.readString(snapshots().get(0), StandardCharsets.ISO_8859_1))
          .contains("leader")
          .doesNotContain("meanwhile");
    }
  }

  @Test
  void oneThatEndsGivesUpItsSnapshot(SplittableRandom random) throws Exception {
    Map<String, String> before;
    ToyMachine machine = start(SNAPSHOT_ENTRIES);
    try (machine) {
      machine.pieces.drainPermits();
      fill(machine, random, SNAPSHOT_ENTRIES);
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.views() == 1);
      before = machine.words();
    }
    assertThat(machine.views()).isZero();
    assertThat(snapshots()).isEmpty();
    try (ToyMachine again = start(SNAPSHOT_ENTRIES)) {
      assertThat(again.words()).isEqualTo(before);
    }
  }

  @Test
  void keepsLittleOfManyLongEntries(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      String large = "x".repeat(1 << 20);
      for (int i = 0; i < 60; i++) {
        machine.put("large", large);
      }
      fill(machine, random, SNAPSHOT_ENTRIES);
      awaitSnapshots(1);
      await()
          .atMost(ToyMachine.DEADLINE)
          .untilAsserted(
              () -> {
                long bytes = 0;
                for (Path log : files(name -> name.startsWith("log_"))) {
                  bytes += Files.size(log);
                }
                assertThat(bytes).isLessThan(20L << 20);
              });
    }
  }

  @Test
  void refusesWhatIsTooLong() throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      String large = "x".repeat(33 << 20);
      assertThatThrownBy(() -> machine.put("large", large))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              JournalException.class,
              e -> assertThat(e.reason()).isEqualTo(JournalException.Reason.BAD_REQUEST))
          .hasMessageContaining("too long for the journal")
          .hasMessageContaining("limit=" + (33 << 20));
      String longest = large.substring("large=".length());
      machine.put("large", longest);
      assertThat(machine.words().get("large")).hasSameSizeAs(longest);
      assertThat(machine.driver.failure()).isNotDone();
    }
  }

  @Test
  void aSingleOneTakesNothingFromPeers() throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      int vote = PeerMessage.REQUEST_VOTE.code();
      assertThat(machine.journal.receive(vote, new byte[0]))
          .failsWithin(ToyMachine.DEADLINE)
          .withThrowableOfType(ExecutionException.class)
          .withMessageContaining("has no peers");
      assertThat(machine.journal.hasPeers()).isFalse();
    }
  }

  @Test
  void isOfOneProcessAtATime() throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      assertThat(machine.leads()).isTrue();
      assertThatThrownBy(() -> start(NO_SNAPSHOT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("in use by another process");
    }
  }

  @Test
  void belongsToOneClusterAndPeer() throws Exception {
    start(NO_SNAPSHOT).close();
    assertThatThrownBy(() -> ToyMachine.leading(settings("other", NO_SNAPSHOT)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("layout=2 service=toy cluster=c peer=single peers=;")
        .hasMessageContaining("cluster=other");
    JournalSettings peers =
        new JournalSettings(
            "toy",
            Optional.of(directory),
            true,
            NO_SNAPSHOT,
            "c",
            "m1",
            Map.of("m1", InetSocketAddress.createUnresolved("localhost", 1)));
    assertThatThrownBy(() -> ToyMachine.leading(peers)).hasMessageContaining("peer=m1");
  }

  /** Before there were batches the directory said so in other words, one on each line. */
  @Test
  void refusesAJournalOfAnEarlierRelease() throws Exception {
    Files.writeString(
        directory.resolve("identity"), "#Whose\nlayout=1\ncluster=c\npeer=single\npeers=\n");
    assertThatThrownBy(() -> start(NO_SNAPSHOT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another peer, cluster or release: journal: #Whose layout=1")
        .hasMessageContaining("an empty one to begin without");
  }

  /** Closed at once, at whatever Raft does then. */
  @RepeatedTest(5)
  void anEntryThatCannotBeAppliedEndsTheJournal() throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      machine.journal.submit("nonsense".getBytes());
      assertThat(machine.driver.failure().get(ToyMachine.DEADLINE.toSeconds(), TimeUnit.SECONDS))
          .contains("an entry of the journal cannot be applied", "no word: nonsense");
    }
  }

  private Path openLog() throws IOException {
    List<Path> logs = files(name -> name.startsWith("log_"));
    return logs.get(logs.size() - 1);
  }

  @Test
  void aDamagedEntryIsAClearError(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start(NO_SNAPSHOT)) {
      fill(machine, random, 300);
    }
    damage(openLog(), 1000);
    assertThatThrownBy(() -> start(NO_SNAPSHOT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the journal cannot be read")
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("docs/OPERATIONS.md");
  }

  private static void damage(Path path, long at) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 0x55);
    }
  }

  @Test
  void aDamagedSnapshotIsAClearError(SplittableRandom random) throws Exception {
    try (ToyMachine machine = start(SNAPSHOT_ENTRIES)) {
      fill(machine, random, 2 * SNAPSHOT_ENTRIES);
      awaitSnapshots(1);
      await().atMost(ToyMachine.DEADLINE).until(() -> machine.views() == 0);
    }
    for (Path snapshot : snapshots()) {
      damage(snapshot, Files.size(snapshot) / 2);
    }
    assertThatThrownBy(() -> start(SNAPSHOT_ENTRIES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the journal cannot be read");
  }
}
