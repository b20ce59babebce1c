package dev.sailfish.lineage.client;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A master and workers in this process, and clients of them. */
final class TestStore implements Closeable {
  static final StoreUser ROOT = StoreUser.newBuilder().setName("root").setSuperuser(true).build();
  static final int BLOCK_LOG = 20;
  static final int BLOCK = 1 << BLOCK_LOG;

  private final Path directory;
  private final Path memory;
  private final Map<String, String> ofAll;
  private final Map<Integer, LineageWorker> workers = new HashMap<>();
  private final List<StoreClient> clients = new ArrayList<>();
  private LineageMaster master;

  TestStore(Path directory) throws IOException {
    this(directory, Map.of("authentication", "none"), Map.of());
  }

  /**
   * @param ofAll settings of the master and of workers
   * @param ofMaster more of the master's
   */
  TestStore(Path directory, Map<String, String> ofAll, Map<String, String> ofMaster)
      throws IOException {
    this.directory = directory;
    this.ofAll = Map.copyOf(ofAll);
    Path shm = Path.of("/dev/shm");
    memory = Files.createTempDirectory(Files.isWritable(shm) ? shm : directory, "sailfish-test-");
    master = startMaster(ofMaster);
  }

  private LineageMaster startMaster(Map<String, String> more) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host", "127.0.0.1",
                "port", "0",
                "web.port", "0",
                "client.lease", "4s",
                "worker.lease", "4s",
                "journal.dir", directory.resolve("journal").toString()));
    values.putAll(ofAll);
    values.putAll(more);
    return LineageMaster.start(settings("master", LineageMasterKey.ALL.prefix(), values));
  }

  /** As when the process ends and starts again, at the same address and with its journal. */
  void restartMaster() throws IOException {
    String port = Integer.toString(master.port());
    master.close();
    master = startMaster(Map.of("port", port));
  }

  private Settings settings(String name, String prefix, Map<String, String> values)
      throws IOException {
    Path file = directory.resolve(name + ".properties");
    Files.write(
        file,
        values.entrySet().stream()
            .map(one -> prefix + one.getKey() + "=" + one.getValue())
            .toList());
    return Settings.read(file);
  }

  List<InetSocketAddress> masters() {
    return List.of(new InetSocketAddress("127.0.0.1", master.port()));
  }

  /** Starts a worker, or starts it again with what it had, and waits until the master knows it. */
  LineageWorker startWorker(int number, String... settings) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host", "localhost",
                "bind", "127.0.0.1",
                "port", "0",
                "web.port", "0",
                "heartbeat", "50ms",
                "master.address", "127.0.0.1:" + master.port(),
                "dirs", memory(number) + ":disktype=MEM:capacity=64m"));
    values.putAll(ofAll);
    for (int i = 0; i < settings.length; i += 2) {
      values.put(settings[i], settings[i + 1]);
    }
    LineageWorker worker =
        LineageWorker.start(settings("worker-" + number, LineageWorkerKey.ALL.prefix(), values));
    workers.put(number, worker);
    Awaitility.await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> metric(number, "heartbeats_total") > 0);
    return worker;
  }

  /** Where a worker's blocks in memory are. */
  Path memory(int number) {
    return memory.resolve("worker-" + number);
  }

  void stopWorker(int number) throws IOException {
    workers.remove(number).close();
  }

  /** What a worker counts. */
  long metric(int worker, String name) {
    return workers.get(worker).metrics().get("sailfish_lineage_worker_" + name);
  }

  /** On the workers' host. */
  StoreClient client() {
    return client(Set.of("localhost"));
  }

  /** On a host of any name; closed with the store. */
  StoreClient client(Set<String> hosts) {
    StoreClient client = new StoreClient(Configs.of(masters(), Credentials.none(), ROOT, hosts));
    clients.add(client);
    return client;
  }

  /** One that is configured elsewhere; closed with the store. */
  StoreClient client(StoreClientConfig config) {
    StoreClient client = new StoreClient(config);
    clients.add(client);
    return client;
  }

  /** One with credentials of its own; closed with the store. */
  StoreClient client(Credentials credentials, StoreUser user, Set<String> hosts) {
    StoreClient client = new StoreClient(Configs.of(masters(), credentials, user, hosts));
    clients.add(client);
    return client;
  }

  /** On no worker's host, for a user of that name; closed with the store. */
  StoreClient client(String user) {
    StoreUser asking = StoreUser.newBuilder().setName(user).build();
    StoreClient client =
        new StoreClient(Configs.of(masters(), Credentials.none(), asking, Set.of()));
    clients.add(client);
    return client;
  }

  /** For operators; to be closed by the caller. */
  StoreAdmin admin() {
    return new StoreAdmin(Configs.of(masters(), Credentials.none(), ROOT));
  }

  /** As a worker is called for operators. */
  String address(int worker) {
    return "localhost:" + workers.get(worker).port();
  }

  static CreateFile file(String path) {
    return CreateFile.newBuilder()
        .setPath(path)
        .setMode(0644)
        .setMakeParents(true)
        .setParentMode(0755)
        .setBlockSizeLog(BLOCK_LOG)
        .build();
  }

  @Override
  public void close() throws IOException {
    clients.forEach(StoreClient::close);
    for (LineageWorker worker : workers.values()) {
      worker.close();
    }
    master.close();
    try (Stream<Path> tree = Files.walk(memory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
