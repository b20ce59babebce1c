package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.awaitility.Awaitility;

/** A master and workers in this process for one test, with short leases. */
final class MountedStore implements Closeable {
  static final int BLOCK_LOG = 20;
  static final int BLOCK = 1 << BLOCK_LOG;
  static final Duration LEASE = Duration.ofSeconds(4);

  private final Path directory;
  private final Path memory;
  private final Map<String, String> ofMaster;
  private LineageMaster master;
  private final Map<Integer, LineageWorker> workers = new HashMap<>();
  private final List<StoreClient> clients = new ArrayList<>();

  MountedStore(Path directory) throws IOException {
    this(directory, Map.of());
  }

  /**
   * @param ofMaster more settings of the master
   */
  MountedStore(Path directory, Map<String, String> ofMaster) throws IOException {
    this.directory = directory;
    this.ofMaster = Map.copyOf(ofMaster);
    Path shm = Path.of("/dev/shm");
    memory = Files.createTempDirectory(Files.isWritable(shm) ? shm : directory, "mounted-test-");
    master = startMaster("0");
  }

  private LineageMaster startMaster(String port) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host",
                "127.0.0.1",
                "port",
                port,
                "web.port",
                "0",
                "authentication",
                "none",
                "client.lease",
                LEASE.toSeconds() + "s",
                "worker.lease",
                LEASE.toSeconds() + "s",
                "journal.sync",
                "false",
                "journal.dir",
                directory.resolve("journal").toString()));
    values.putAll(ofMaster);
    return LineageMaster.start(settings("master", LineageMasterKey.ALL.prefix(), values));
  }

  /** As when the process ends and starts again, at the same address and with its journal. */
  void restartMaster() throws IOException {
    String port = Integer.toString(master.port());
    master.close();
    master = startMaster(port);
  }

  private Settings settings(String name, String prefix, Map<String, String> values)
      throws IOException {
    Path file = directory.resolve(name + ".properties");
    Files.write(
        file,
        values.entrySet().stream().map(e -> prefix + e.getKey() + "=" + e.getValue()).toList());
    return Settings.read(file);
  }

  /** Starts a worker with so much memory, and waits until the master knows it. */
  void startWorker(int number, String capacity, String... settings) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host", "localhost",
                "bind", "127.0.0.1",
                "port", "0",
                "web.port", "0",
                "authentication", "none",
                "heartbeat", "50ms",
                "copy.silence", "200ms",
                "master.address", "127.0.0.1:" + master.port(),
                "dirs", memory.resolve("worker-" + number) + ":disktype=MEM:capacity=" + capacity));
    for (int i = 0; i < settings.length; i += 2) {
      values.put(settings[i], settings[i + 1]);
    }
    LineageWorker worker =
        LineageWorker.start(settings("worker-" + number, LineageWorkerKey.ALL.prefix(), values));
    workers.put(number, worker);
    Awaitility.await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> metric(number, "heartbeats_total") > 0);
  }

  void stopWorker(int number) throws IOException {
    workers.remove(number).close();
  }

  /** What a worker counts. */
  long metric(int worker, String name) {
    return workers.get(worker).metrics().get("sailfish_lineage_worker_" + name);
  }

  /** For operators; to be closed by the caller. */
  StoreAdmin admin() throws IOException {
    return new StoreAdmin(config(false));
  }

  /** A client that may do everything; closed with the store. */
  StoreClient client(boolean isLocal) throws IOException {
    StoreClient client = new StoreClient(config(isLocal));
    clients.add(client);
    return client;
  }

  private StoreClientConfig config(boolean isLocal) throws IOException {
    String user = UserGroupInformation.getLoginUser().getShortUserName();
    return new StoreClientConfig(
        List.of(new InetSocketAddress("127.0.0.1", master.port())),
        Network.SOCKETS,
        Credentials.none(),
        StoreUser.newBuilder().setName(user).setSuperuser(true).build(),
        isLocal ? Set.of("localhost") : Set.of(),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        Duration.ofSeconds(30));
  }

  /** Hadoop's file system on this store; to be closed. Each key is followed by its value. */
  FileSystem fileSystem(String... keys) throws IOException {
    Configuration conf = new Configuration();
    conf.set(LineageKey.AUTHENTICATION.name(), "none");
    conf.set(LineageKey.HOSTS.name(), "localhost");
    conf.set(LineageKey.SUPERUSER.name(), UserGroupInformation.getLoginUser().getShortUserName());
    for (int i = 0; i < keys.length; i += 2) {
      conf.set(keys[i], keys[i + 1]);
    }
    return FileSystem.newInstance(URI.create("lineage://127.0.0.1:" + master.port()), conf);
  }

  static CreateFile file(String path, WriteMode mode) {
    return CreateFile.newBuilder()
        .setPath(path)
        .setMode(0644)
        .setMakeParents(true)
        .setParentMode(0755)
        .setBlockSizeLog(BLOCK_LOG)
        .setWriteMode(mode)
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
