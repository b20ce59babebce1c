package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.WorkerReport;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * All workers and masters, which are processes, are restarted one after the other while files are
 * written and read: no write and no read fails, and then a worker leaves for good.
 */
@Seeded
class RollingRestartTest {
  private static final byte[] SECRET = "the secret of a store".getBytes(StandardCharsets.US_ASCII);
  private static final int LONGEST = 3 << 20;
  private static final int MOST_FILES = 10;
  private static final Duration DEADLINE = Duration.ofSeconds(90);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<DaemonProcess> workers = new ArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private Path memory;
  private PeerProcesses masters;
  private volatile boolean ended;

  @BeforeEach
  void start() throws IOException {
    Path shm = Path.of("/dev/shm");
    memory = Files.createTempDirectory(Files.isWritable(shm) ? shm : directory, "sailfish-test-");
    masters =
        new PeerProcesses(
            LineageMaster.class,
            LineageMasterKey.ALL.prefix(),
            "sailfish_lineage_master_leads",
            SECRET,
            directory);
    String addresses =
        String.join(
            ",",
            masters.addresses().stream()
                .map(at -> at.getHostString() + ":" + at.getPort())
                .toList());
    for (int i = 1; i <= 2; i++) {
      String dirs =
          "%s:disktype=MEM:capacity=32m,%s:capacity=400m"
              .formatted(memory.resolve("worker-" + i), directory.resolve("disk-" + i));
      workers.add(
          masters.startBeside(
              LineageWorker.class,
              LineageWorkerKey.ALL.prefix(),
              "worker-" + i,
              Map.of(
                  "host",
                  "127.0.0.1",
                  "bind",
                  "127.0.0.1",
                  "dirs",
                  dirs,
                  "master.address",
                  addresses)));
    }
  }

  @AfterEach
  void stop() throws IOException {
    ended = true;
    threads.shutdown();
    masters.close();
    try (Stream<Path> tree = Files.walk(memory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private StoreClientConfig config(boolean local) {
    return Configs.of(
        masters.addresses(),
        Credentials.ofCluster(SECRET),
        TestStore.ROOT,
        local ? Set.of("127.0.0.1") : Set.of());
  }

  /** Writes a file, reads one, deletes the oldest, again and again. */
  private void load(String home, boolean local, Random random) throws IOException {
    List<Long> seeds = new ArrayList<>();
    int first = 0;
    try (StoreClient client = new StoreClient(config(local))) {
      while (!ended) {
        seeds.add(random.nextLong());
        try (FileOutput out = client.create(TestStore.file(home + "/" + (seeds.size() - 1)))) {
          out.write(content(seeds.get(seeds.size() - 1)));
        }
        int number = first + random.nextInt(seeds.size() - first);
        try (FileInput in = client.open(home + "/" + number)) {
          assertThat(in.readAllBytes()).isEqualTo(content(seeds.get(number)));
        }
        if (seeds.size() - first > MOST_FILES) {
          client.namespace().delete(home + "/" + first, false);
          first++;
        }
        done.incrementAndGet();
      }
      for (int number = first; number < seeds.size(); number++) {
        try (FileInput in = client.open(home + "/" + number)) {
          assertThat(in.readAllBytes()).isEqualTo(content(seeds.get(number)));
        }
      }
    }
  }

  private static byte[] content(long seed) {
    Random random = new Random(seed);
    byte[] content = new byte[random.nextInt(LONGEST)];
    random.nextBytes(content);
    return content;
  }

  @Test
  @Timeout(500)
  void nothingFailsWhileAllAreRestarted(Seed seed) throws Exception {
    List<Future<?>> loads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String home = "/load-" + i;
      boolean local = i == 0;
      Random random = seed.derive(home).random();
      loads.add(
          threads.submit(
              () -> {
                load(home, local, random);
                return null;
              }));
    }
    awaitSteps(loads);
    try (StoreAdmin admin = new StoreAdmin(config(false))) {
      for (DaemonProcess worker : workers) {
        drain(admin, worker, true);
        worker.end("TERM");
        worker.start();
        awaitServing(admin, worker);
        awaitSteps(loads);
      }
      for (int i = 0; i < masters.addresses().size(); i++) {
        restartMaster(i);
        awaitSteps(loads);
      }
      DaemonProcess leaving = workers.get(0);
      drain(admin, leaving, false);
      leaving.end("TERM");
      awaitSteps(loads);
    }
    ended = true;
    for (Future<?> load : loads) {
      load.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static String name(DaemonProcess worker) {
    return worker.address().getHostString() + ":" + worker.address().getPort();
  }

  private static void drain(StoreAdmin admin, DaemonProcess worker, boolean returns) {
    await(worker + " is drained")
        .atMost(DEADLINE)
        .until(() -> admin.drain(name(worker), returns).getDrained());
  }

  /** Until the master gives it blocks again. */
  private static void awaitServing(StoreAdmin admin, DaemonProcess worker) {
    await(worker + " takes blocks")
        .atMost(DEADLINE)
        .until(
            () ->
                admin.report().getWorkersList().stream()
                    .filter(row -> row.getAddress().getPort() == worker.address().getPort())
                    .anyMatch(RollingRestartTest::serves));
  }

  private static boolean serves(WorkerReport row) {
    return !row.getDraining() && row.getCapacityBytesCount() > 0;
  }

  /** The leader is the last one. */
  private void restartMaster(int turn) throws Exception {
    DaemonProcess leader = masters.awaitLeader();
    List<DaemonProcess> peers = new ArrayList<>(masters.peers());
    peers.remove(leader);
    DaemonProcess victim = turn < peers.size() ? peers.get(turn) : leader;
    victim.end("TERM");
    victim.start();
    masters.awaitLeader();
  }

  private void awaitSteps(List<Future<?>> loads) {
    int now = done.get();
    await("clients do something")
        .atMost(DEADLINE)
        .until(() -> done.get() >= now + 6 || loads.stream().anyMatch(Future::isDone));
    for (Future<?> load : loads) {
      assertThat(load.isDone()).as("a client failed: %s", load).isFalse();
    }
  }
}
