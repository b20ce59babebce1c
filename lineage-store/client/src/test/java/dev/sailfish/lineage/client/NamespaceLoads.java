package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.testkit.Seed;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Clients that create, rename and delete files, each in a directory of its own, and know what was
 * acknowledged. For one thread.
 */
final class NamespaceLoads implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int BLOCK_LOG = 27;

  private final List<InetSocketAddress> masters;
  private final Credentials credentials;
  private final Runnable onAcknowledged;
  private final NominalWorker worker;
  private NamespaceBurst burst;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Load> loads = new ArrayList<>();
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean ended;

  /** One client: what is in its directory, as far as it was told. */
  private final class Load implements Runnable {
    private final String home;
    private final Random random;
    private final TreeMap<String, Long> expected = new TreeMap<>();
    private volatile long changes;

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
              .setBlockSizeLog(BLOCK_LOG)
              .build();
      FileEntry created = client.create(file).getEntry();
      acknowledged();
      long length = random.nextInt(1_000_000);
      client.complete(created.getFid(), length, worker.places(length, BLOCK_LOG));
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
      onAcknowledged.run();
    }
  }

  /**
   * Begins.
   *
   * @param onAcknowledged called by many threads when a change was acknowledged
   */
  NamespaceLoads(
      List<InetSocketAddress> masters,
      byte[] secret,
      int clients,
      Seed seed,
      Runnable onAcknowledged)
      throws IOException {
    this.masters = masters;
    this.credentials = Credentials.ofCluster(secret);
    this.onAcknowledged = onAcknowledged;
    worker = new NominalWorker(masters, credentials);
    for (int i = 0; i < clients; i++) {
      loads.add(new Load(i, seed));
      running.add(threads.submit(loads.get(i)));
    }
  }

  /** One more, which has many changes on their way at a time when it is told to begin. */
  NamespaceBurst startBurst(Seed seed) {
    burst = new NamespaceBurst(this::client, seed);
    running.add(threads.submit(burst));
    return burst;
  }

  private NamespaceClient client(long id) {
    return new NamespaceClient(Configs.of(masters, credentials, TestStore.ROOT), id);
  }

  /** How many changes were acknowledged so far. */
  long changes() {
    long files = burst == null ? 0 : burst.files();
    return loads.stream().mapToLong(load -> load.changes).sum() + files;
  }

  /** Ends them; each must have done all that it has begun. */
  void end() throws Exception {
    ended = true;
    if (burst != null) {
      burst.close();
    }
    for (Future<?> each : running) {
      each.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** After the end: there is what was acknowledged, and nothing else. */
  void assertAllIsThere() throws IOException {
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
      if (burst != null) {
        burst.assertAllIsThere(client);
      }
    }
  }

  @Override
  public void close() {
    ended = true;
    if (burst != null) {
      burst.close();
    }
    threads.shutdown();
    worker.close();
  }
}
