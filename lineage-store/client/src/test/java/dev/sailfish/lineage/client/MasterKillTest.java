package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.ground.journal.Journal;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The leader of three masters is killed again and again while clients create, rename and delete
 * files: in the end there is what was acknowledged, and nothing else; no change was made twice, for
 * a rename or delete that is made again fails.
 */
@Seeded
class MasterKillTest {
  private static final byte[] SECRET =
      "the secret of three masters".getBytes(StandardCharsets.US_ASCII);
  private static final StoreUser USER =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();
  private static final int CLIENTS = 4;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Load> loads = new ArrayList<>();
  private final List<Long> withoutLeaderMs = new ArrayList<>();

  /** When the first change was acknowledged since this was 0, in nanoseconds. */
  private final AtomicLong firstAcknowledgedNs = new AtomicLong();

  /** Changes of the burst. */
  private final AtomicLong acknowledged = new AtomicLong();

  private Burst burst;
  private PeerProcesses masters;
  private NominalWorker worker;
  private volatile boolean ended;

  /** One client, in a directory of its own: what is in it, as far as it was told. */
  private final class Load implements Runnable {
    private final String home;
    private final Random random;
    private final TreeMap<String, Long> expected = new TreeMap<>();
    private long changes;

    Load(int number, Seed seed) {
      home = "/load-" + number;
      random = seed.derive(home).random();
    }

    @Override
    public void run() {
      try (NamespaceClient client = client(random.nextLong() | 1)) {
        for (int i = 0; !ended; i++) {
          change(client, "file-" + i);
        }
      } catch (IOException e) {
        throw new AssertionError(home + ": not done", e);
      }
    }

    private void change(NamespaceClient client, String name) throws IOException {
      CreateFile file =
          CreateFile.newBuilder()
              .setPath(home + "/new/" + name)
              .setMode(0644)
              .setMakeParents(true)
              .setParentMode(0755)
              .setBlockSizeLog(27)
              .build();
      FileEntry created = client.create(file).getEntry();
      acknowledged();
      long length = random.nextInt(1_000_000);
      client.complete(created.getFid(), length, worker.places(length, 27));
      acknowledged();
      client.makeDirectories(home + "/done", 0755);
      client.rename(home + "/new/" + name, home + "/done/" + name, false);
      acknowledged();
      expected.put(name, length);
      if (expected.size() > 50) {
        client.delete(home + "/done/" + expected.firstKey(), false);
        expected.pollFirstEntry();
        acknowledged();
      }
    }

    private void acknowledged() {
      changes++;
      firstAcknowledgedNs.compareAndSet(0, System.nanoTime());
    }
  }

  /**
   * One client with many changes on their way at a time, none of which may be made twice: a file is
   * there then.
   */
  private final class Burst implements Runnable {
    private static final int IN_FLIGHT = 256;

    private final String home = "/burst";
    private final Semaphore room = new Semaphore(IN_FLIGHT);
    private final Set<String> expected = ConcurrentHashMap.newKeySet();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final long id;

    Burst(Seed seed) {
      id = seed.derive(home).random().nextLong() | 1;
    }

    @Override
    public void run() {
      try (NamespaceClient client = client(id)) {
        for (int i = 0; !ended; i++) {
          room.acquireUninterruptibly();
          String name = "file-" + i;
          make(client, home + "/" + name, i % 2 == 0)
              .whenComplete((made, error) -> made(name, error));
        }
        room.acquireUninterruptibly(IN_FLIGHT);
      }
    }

    private CompletableFuture<FileEntry> make(
        NamespaceClient client, String path, boolean isOneChange) {
      CreateFile file =
          CreateFile.newBuilder()
              .setPath(path)
              .setMode(0644)
              .setMakeParents(true)
              .setParentMode(0755)
              .setBlockSizeLog(27)
              .build();
      return isOneChange
          ? client.createEmptyAsync(file)
          : client
              .createAsync(file)
              .thenCompose(begun -> client.completeAsync(begun.getEntry().getFid(), 0, List.of()));
    }

    private void made(String name, Throwable error) {
      if (error == null) {
        expected.add(name);
        acknowledged.incrementAndGet();
      } else {
        failures.add(error);
      }
      room.release();
    }

    void assertAllIsThere(NamespaceClient client) throws IOException {
      assertThat(failures).isEmpty();
      Set<String> seen = new HashSet<>();
      client.list(
          home,
          entry -> {
            assertThat(entry.getComplete()).as(entry.getName()).isTrue();
            seen.add(entry.getName());
          });
      assertThat(seen).isEqualTo(expected);
    }
  }

  private NamespaceClient client(long id) {
    return new NamespaceClient(
        Configs.of(masters.addresses(), Credentials.ofCluster(SECRET), USER), id);
  }

  @BeforeEach
  void start() throws IOException {
    masters =
        new PeerProcesses(
            LineageMaster.class,
            LineageMasterKey.ALL.prefix(),
            "sailfish_lineage_master_leads",
            SECRET,
            directory);
  }

  @AfterEach
  void stop() {
    ended = true;
    threads.shutdown();
    if (worker != null) {
      worker.close();
    }
    masters.close();
  }

  @Test
  @Timeout(300)
  void leadersKilledFiveTimes(Seed seed) throws Exception {
    kill(5, seed);
  }

  /** Nothing else runs then: how long there is no leader is up to the masters. */
  @Test
  @Tag("long")
  @Timeout(1500)
  void leadersKilledFiftyTimes(Seed seed) throws Exception {
    kill(50, seed);
    assertThat(percentile(99))
        .as("time without a leader in ms: %s", withoutLeaderMs)
        .isLessThanOrEqualTo(Journal.ELECTION_TIMEOUT_MS + 1000);
  }

  private void kill(int times, Seed seed) throws Exception {
    masters.awaitLeader();
    worker = new NominalWorker(masters.addresses(), Credentials.ofCluster(SECRET));
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      loads.add(new Load(i, seed));
      running.add(threads.submit(loads.get(i)));
    }
    burst = new Burst(seed);
    running.add(threads.submit(burst));
    for (int i = 0; i < times; i++) {
      awaitAcknowledged();
      DaemonProcess leader = masters.awaitLeader();
      long killedNs = System.nanoTime();
      leader.end("KILL");
      withoutLeaderMs.add(TimeUnit.NANOSECONDS.toMillis(awaitAcknowledged() - killedNs));
      leader.start();
    }
    ended = true;
    for (Future<?> each : running) {
      each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    report();
    assertAllIsThere();
  }

  /** Waits for a change that is acknowledged from now on, and tells when that was. */
  private long awaitAcknowledged() {
    firstAcknowledgedNs.set(0);
    return await("a change is acknowledged")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(20))
        .until(firstAcknowledgedNs::get, at -> at != 0);
  }

  private void assertAllIsThere() throws IOException {
    try (NamespaceClient client = client(1)) {
      for (Load load : loads) {
        TreeMap<String, Long> seen = new TreeMap<>();
        client.list(
            load.home + "/done",
            entry -> {
              assertThat(entry.getComplete()).as(entry.getName()).isTrue();
              seen.put(entry.getName(), entry.getLength());
            });
        assertThat(seen).isEqualTo(load.expected);
        List<FileEntry> open = new ArrayList<>();
        client.list(load.home + "/new", open::add);
        assertThat(open).isEmpty();
      }
      burst.assertAllIsThere(client);
    }
  }

  private long percentile(int percent) {
    List<Long> sorted = withoutLeaderMs.stream().sorted().toList();
    return sorted.get((int) Math.ceil(percent / 100.0 * sorted.size()) - 1);
  }

  private void report() throws IOException {
    String line =
        "masters killed: %d; without a leader: p50 %d ms, p99 %d ms; changes acknowledged: %d"
            .formatted(
                withoutLeaderMs.size(),
                percentile(50),
                percentile(99),
                loads.stream().mapToLong(load -> load.changes).sum() + acknowledged.get());
    System.out.println(line);
    Files.writeString(Path.of("target", "master-kills.txt"), line + "\n" + withoutLeaderMs + "\n");
  }
}
