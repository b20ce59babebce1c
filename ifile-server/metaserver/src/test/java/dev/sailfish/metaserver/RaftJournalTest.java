package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.transport.RequestRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal of a single metaserver: what it keeps, and what it refuses. */
@Seeded
class RaftJournalTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int SNAPSHOT_ENTRIES = 200;

  @TempDir private Path directory;

  /** A core on a journal. */
  private static final class Copy implements Journal.Machine, AutoCloseable {
    private final Journal journal;
    private MetaserverState state = ReplayTest.fresh();
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    Copy(JournalConfig config) throws IOException {
      journal = new RaftJournal(config, Network.SOCKETS, Credentials.none());
      boolean started = false;
      try {
        journal.start(this);
        await().atMost(DEADLINE).until(() -> journal.term() > 0);
        started = true;
      } finally {
        if (!started) {
          journal.close();
        }
      }
    }

    @Override
    public synchronized JournalReply apply(JournalEntry entry) {
      return EntryApplier.apply(state, entry);
    }

    @Override
    public synchronized void save(OutputStream out) throws IOException {
      StateSnapshot.write(state, out);
    }

    @Override
    public synchronized void load(InputStream in) throws IOException {
      state = ReplayTest.fresh();
      SnapshotReader.read(in, state);
    }

    @Override
    public void failed(String what, Throwable cause) {
      failure.complete(what);
    }

    synchronized byte[] snapshot() throws IOException {
      return ReplayTest.snapshot(state);
    }

    void put(JournalEntry entry) throws Exception {
      journal.submit(entry).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Puts entries that random operations on this very core bring about. */
    void fill(SplittableRandom random, int entries) throws Exception {
      RandomEntries next = new RandomEntries(random, state);
      put(RandomEntries.lead(0, 1));
      for (int i = 0; i < entries; i++) {
        put(next.next());
      }
    }

    @Override
    public void close() {
      journal.close();
    }
  }

  private JournalConfig config(String cluster, long snapshotEntries) {
    return new JournalConfig(Optional.of(directory), true, snapshotEntries, cluster, "", Map.of());
  }

  private JournalConfig config() {
    return config("sailfish", SNAPSHOT_ENTRIES);
  }

  private List<Path> files(Predicate<String> name) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return new ArrayList<>(
          all.filter(path -> name.test(path.getFileName().toString())).sorted().toList());
    }
  }

  @Test
  void aRestartFindsWhatWasAcknowledged(SplittableRandom random) throws Exception {
    byte[] before;
    try (Copy copy = new Copy(config("sailfish", 1_000_000))) {
      copy.fill(random, 300);
      before = copy.snapshot();
    }
    try (Copy copy = new Copy(config("sailfish", 1_000_000))) {
      assertThat(copy.snapshot()).isEqualTo(before);
      copy.fill(random, 10);
      assertThat(copy.failure).isNotDone();
    }
  }

  @Test
  void aSnapshotStandsForTheEntriesBeforeIt(SplittableRandom random) throws Exception {
    byte[] before;
    try (Copy copy = new Copy(config())) {
      copy.fill(random, 5 * SNAPSHOT_ENTRIES + 50);
      await()
          .atMost(DEADLINE)
          .until(() -> files(name -> name.matches("snapshot\\.\\d+_\\d+")).size() == 2);
      before = copy.snapshot();
      for (Path snapshot : files(name -> name.matches("snapshot\\.\\d+_\\d+"))) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(snapshot)))
            .as("it has keys in it")
            .isEqualTo("rw-------");
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
    }
    try (Copy copy = new Copy(config())) {
      assertThat(copy.snapshot()).isEqualTo(before);
    }
  }

  @Test
  void keepsLittleOfAMillionBytesOfEntries() throws Exception {
    try (Copy copy = new Copy(config())) {
      copy.put(RandomEntries.lead(0, 1));
      byte[] filler = new byte[1 << 20];
      Arrays.fill(filler, (byte) 'x');
      String reason = new String(filler, StandardCharsets.US_ASCII);
      for (int i = 0; i < 60 + SNAPSHOT_ENTRIES; i++) {
        JournalEntry.Builder entry =
            i < 60
                ? StateDriver.end("none", EndJob.Cause.ASKED, reason)
                    .setVersion(EntryApplier.VERSION)
                : RandomEntries.lead(0, 1).toBuilder();
        copy.put(entry.build());
      }
      await()
          .atMost(DEADLINE)
          .until(() -> !files(name -> name.matches("snapshot\\.\\d+_\\d+")).isEmpty());
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () -> {
                long bytes = 0;
                for (Path log : files(name -> name.startsWith("log_"))) {
                  bytes += Files.size(log);
                }
                assertThat(bytes).isLessThan(40L << 20);
              });
    }
  }

  @Test
  void refusesWhatIsTooLong() throws Exception {
    try (Copy copy = new Copy(config())) {
      copy.put(RandomEntries.lead(0, 1));
      byte[] filler = new byte[33 << 20];
      Arrays.fill(filler, (byte) 'x');
      String reason = new String(filler, StandardCharsets.US_ASCII);
      JournalReply reply =
          copy.journal
              .submit(StateDriver.end("none", EndJob.Cause.ASKED, reason).build())
              .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
      assertThat(Status.ofCode(reply.getStatus())).isEqualTo(Status.BAD_REQUEST);
      assertThat(reply.getMessage()).contains("too long for the journal", "limit=" + (33 << 20));
      copy.put(RandomEntries.lead(0, 1));
      assertThat(copy.failure).isNotDone();
    }
  }

  @Test
  void aSingleOneTakesNothingFromPeers() throws Exception {
    try (Copy copy = new Copy(config())) {
      assertThatThrownBy(() -> copy.journal.receive(RaftMessage.REQUEST_VOTE.code(), new byte[0]))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("has no peers");
      assertThatThrownBy(() -> copy.journal.receive(9, new byte[0]))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("code=9 known=1..4");
    }
  }

  @Test
  void isOfOneProcessAtATime() throws Exception {
    try (Copy copy = new Copy(config())) {
      assertThat(copy.failure).isNotDone();
      assertThatThrownBy(() -> new Copy(config()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("journal.dir=" + directory)
          .hasMessageContaining("in use by another metaserver");
    }
  }

  @Test
  void belongsToOneClusterAndPeer() throws Exception {
    new Copy(config()).close();
    assertThatThrownBy(() -> new Copy(config("other", SNAPSHOT_ENTRIES)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another cluster: journal=sailfish configuration=other");
    JournalConfig peers =
        new JournalConfig(
            Optional.of(directory),
            true,
            SNAPSHOT_ENTRIES,
            "sailfish",
            "m1",
            Map.of(
                "m1", new HostPort("localhost", 1),
                "m2", new HostPort("localhost", 2),
                "m3", new HostPort("localhost", 3)));
    assertThatThrownBy(() -> new Copy(peers))
        .hasMessageContaining("another peer: journal=single configuration=m1");
  }

  @Test
  void aLastEntryThatWasCutIsLeftOut(SplittableRandom random) throws Exception {
    byte[] before;
    try (Copy copy = new Copy(config("sailfish", 1_000_000))) {
      copy.fill(random, 50);
      before = copy.snapshot();
      copy.put(
          JournalEntry.newBuilder()
              .setVersion(EntryApplier.VERSION)
              .setCreate(CoreFixture.job("job_cut", 1))
              .build());
    }
    cut(openLog());
    try (Copy copy = new Copy(config("sailfish", 1_000_000))) {
      assertThat(copy.snapshot()).isEqualTo(before);
    }
  }

  private Path openLog() throws IOException {
    List<Path> logs = files(name -> name.startsWith("log_"));
    return logs.get(logs.size() - 1);
  }

  /** Takes the last bytes of the last entry away. */
  private static void cut(Path log) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.setLength(end - 10);
    }
  }

  @Test
  void aDamagedEntryIsAClearError(SplittableRandom random) throws Exception {
    try (Copy copy = new Copy(config("sailfish", 1_000_000))) {
      copy.fill(random, 100);
    }
    Path log = openLog();
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      long at = 1000;
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 0x55);
    }
    assertThatThrownBy(() -> new Copy(config("sailfish", 1_000_000)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the journal cannot be read")
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("docs/OPERATIONS.md");
  }

  @Test
  void aDamagedSnapshotIsAClearError(SplittableRandom random) throws Exception {
    try (Copy copy = new Copy(config())) {
      copy.fill(random, 2 * SNAPSHOT_ENTRIES);
      await()
          .atMost(DEADLINE)
          .until(() -> !files(name -> name.matches("snapshot\\.\\d+_\\d+")).isEmpty());
    }
    for (Path snapshot : files(name -> name.matches("snapshot\\.\\d+_\\d+"))) {
      byte[] bytes = Files.readAllBytes(snapshot);
      bytes[bytes.length / 2] ^= 0x55;
      Files.write(snapshot, bytes);
    }
    assertThatThrownBy(() -> new Copy(config()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the journal cannot be read");
  }
}
