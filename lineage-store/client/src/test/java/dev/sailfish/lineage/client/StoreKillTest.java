package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.PeerProcesses;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
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
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers, leading masters and clients are killed again and again while files are written, read and
 * deleted, in memory and on disks, bits of blocks flip and all tiers fill: a client that was told
 * "closed" reads its file back, byte for byte; one that was not sees no file, or the whole of it. A
 * file whose only copy was damaged gives an error, or what was written: never anything else.
 */
@Seeded
class StoreKillTest {
  private static final byte[] SECRET = "the secret of a store".getBytes(StandardCharsets.US_ASCII);
  private static final int CLIENTS = 3;
  private static final int MOST_FILES = 12;
  private static final int LONGEST = 3 << 20;
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final int FILL_EVERY = 8;
  private static final String FILLERS = "/fillers";
  private static final int FILLER = 8 << 20;
  private static final int MOST_FILLERS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of who reads a block that may be lost. */
  private static final Duration LITTLE_PATIENCE = Duration.ofSeconds(2);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<DaemonProcess> workers = new ArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger failedWrites = new AtomicInteger();
  private final AtomicInteger killedClients = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger fills = new AtomicInteger();
  private BlockDamage damage;
  private Path memory;
  private PeerProcesses masters;
  private volatile boolean ended;

  /**
   * A file that was closed.
   *
   * @param content seed of what is in it
   */
  private record Closed(long fid, long content) {}

  /** One client after the other, in a directory of its own. */
  private final class Load implements Runnable {
    private final String home;
    private final Random random;
    private final boolean local;

    /** The files that were closed. */
    private final TreeMap<String, Closed> expected = new TreeMap<>();

    private int written;

    Load(int number, Seed seed) {
      home = "/load-" + number;
      random = seed.derive(home).random();
      local = number != 0;
    }

    @Override
    public void run() {
      while (!ended) {
        StoreClient client = client(local);
        int steps = 5 + random.nextInt(20);
        try {
          for (int i = 0; i < steps && !ended; i++) {
            step(client);
            done.incrementAndGet();
          }
          vanish(client);
        } catch (IOException e) {
          throw new AssertionError(home + ": not done", e);
        } finally {
          client.close();
        }
      }
    }

    /** As a client that is killed: what it writes is not complete, and it says nothing. */
    private void vanish(StoreClient client) throws IOException {
      FileOutput out =
          client.create(TestStore.file(home + "/killed-" + killedClients.incrementAndGet()));
      try {
        out.write(new byte[LONGEST]);
      } catch (IOException e) {
        failedWrites.incrementAndGet(); // its worker was killed before
      }
    }

    private void step(StoreClient client) throws IOException {
      if (expected.size() == MOST_FILES) {
        String first = expected.firstKey();
        client.namespace().delete(home + "/" + first, false);
        expected.remove(first);
      }
      if (random.nextInt(3) > 0 || expected.isEmpty()) {
        write(client);
      } else {
        List<String> names = List.copyOf(expected.keySet());
        check(client, names.get(random.nextInt(names.size())));
      }
    }

    private void write(StoreClient client) throws IOException {
      String name = "file-%06d".formatted(written++);
      long content = random.nextLong();
      FileOutput out = client.create(TestStore.file(home + "/" + name));
      try {
        out.write(content(content));
        out.close();
        expected.put(name, new Closed(out.fid(), content));
      } catch (IOException e) {
        // The worker was killed: the file is not there; or it is, when the answer was lost.
        failedWrites.incrementAndGet();
        out.abandon();
      }
    }

    private void check(StoreClient client, String name) throws IOException {
      Closed file = expected.get(name);
      try {
        assertContent(client, name, file);
      } catch (IOException e) {
        if (!damage.isDamaged(file.fid())) {
          throw e;
        }
        lost.incrementAndGet();
        client.namespace().delete(home + "/" + name, false);
        expected.remove(name);
      }
    }

    private void assertContent(StoreClient client, String name, Closed file) throws IOException {
      String path = home + "/" + name;
      boolean mayBeLost = damage.isDamaged(file.fid());
      try (StoreClient impatient = client(local, mayBeLost ? LITTLE_PATIENCE : PATIENCE);
          FileInput in = (mayBeLost ? impatient : client).open(path)) {
        assertThat(in.readAllBytes()).as(path).isEqualTo(content(file.content()));
      }
    }

    private void checkAll(StoreClient client) throws IOException {
      for (String name : List.copyOf(expected.keySet())) {
        check(client, name);
      }
    }
  }

  private static byte[] content(long seed) {
    Random random = new Random(seed);
    byte[] content = new byte[random.nextInt(random.nextBoolean() ? LONGEST : 1000)];
    random.nextBytes(content);
    return content;
  }

  private StoreClient client(boolean local) {
    return client(local, PATIENCE);
  }

  private StoreClient client(boolean local, Duration patience) {
    return new StoreClient(
        new StoreClientConfig(
            masters.addresses(),
            Network.SOCKETS,
            Credentials.ofCluster(SECRET),
            TestStore.ROOT,
            local ? Set.of("127.0.0.1") : Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            patience));
  }

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
    List<Path> blocks = new ArrayList<>();
    String addresses =
        String.join(
            ",",
            masters.addresses().stream()
                .map(at -> at.getHostString() + ":" + at.getPort())
                .toList());
    for (int i = 1; i <= 2; i++) {
      String dirs =
          "%s:disktype=MEM:capacity=16m,%s:capacity=100m"
              .formatted(memory.resolve("worker-" + i), directory.resolve("disk-" + i));
      blocks.add(memory.resolve("worker-" + i));
      blocks.add(directory.resolve("disk-" + i));
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
                  "full.deadline",
                  "1s",
                  "scrub",
                  "500ms",
                  "master.address",
                  addresses)));
    }
    damage = new BlockDamage(blocks);
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

  @Test
  @Timeout(800)
  void killedEightTimes(Seed seed) throws Exception {
    kill(8, seed);
  }

  @Test
  @Tag("long")
  @Timeout(1700)
  void killedAHundredTimes(Seed seed) throws Exception {
    kill(100, seed);
  }

  private void kill(int times, Seed seed) throws Exception {
    Random random = seed.random();
    List<Load> loads = new ArrayList<>();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      loads.add(new Load(i, seed));
      running.add(threads.submit(loads.get(i)));
    }
    for (int i = 0; i < times; i++) {
      awaitSteps(5);
      damage.flip(random);
      if (i % FILL_EVERY == 0) {
        fill();
      }
      DaemonProcess victim =
          random.nextInt(3) == 0 ? masters.awaitLeader() : workers.get(random.nextInt(2));
      victim.end("KILL");
      victim.start();
    }
    awaitSteps(5);
    ended = true;
    for (Future<?> each : running) {
      each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
    try (StoreClient client = client(true)) {
      for (Load load : loads) {
        load.checkAll(client);
      }
    }
    System.out.printf(
        "kills: %d; clients that vanished: %d; steps: %d; files not written: %d; bits flipped: %d;"
            + " files lost by that: %d; filled: %d%n",
        times,
        killedClients.get(),
        done.get(),
        failedWrites.get(),
        damage.flips(),
        lost.get(),
        fills.get());
    assertThat(damage.flips()).as("bits flipped").isPositive();
    assertThat(fills.get()).as("times that all tiers were full").isPositive();
  }

  /** Writes until no worker takes any more, and deletes it. */
  private void fill() throws IOException {
    try (StoreClient client = client(true)) {
      for (int i = 0; i < MOST_FILLERS; i++) {
        FileOutput out = client.create(TestStore.file(FILLERS + "/" + i));
        try {
          out.write(new byte[FILLER]);
          out.close();
        } catch (IOException full) {
          fills.incrementAndGet();
          out.abandon();
          break;
        }
      }
      client.namespace().delete(FILLERS, true);
    }
  }

  private void awaitSteps(int count) {
    int now = done.get();
    await("clients do something").atMost(DEADLINE).until(() -> done.get() >= now + count);
  }
}
