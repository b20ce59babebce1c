package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.apache.hadoop.security.UserGroupInformation;
import org.awaitility.Awaitility;

/**
 * A master and two workers in this process, which the tests of one JVM share. The workers are on
 * two hosts as far as their names tell.
 */
final class SharedStore {
  /** What the workers' hosts are called. */
  static final List<String> HOSTS = List.of("localhost", "127.0.0.1");

  private static final String SUPERUSER = userOfThisProcess();

  private static SharedStore store;

  private final Map<String, String> ofAll;
  private final Path directory;
  private final Path memory;
  private final List<AutoCloseable> daemons = new ArrayList<>();
  private final int port;

  /**
   * @param ofAll settings of the master and of workers
   */
  private SharedStore(Map<String, String> ofAll) throws IOException {
    this.ofAll = ofAll;
    directory = Files.createTempDirectory("lineage-fs-test-");
    Path shm = Path.of("/dev/shm");
    memory = Files.createTempDirectory(Files.isWritable(shm) ? shm : directory, "lineage-fs-test-");
    port = startMaster();
    for (String host : HOSTS) {
      startWorker(host);
    }
  }

  private static synchronized SharedStore running() {
    if (store == null) {
      try {
        store = start(Map.of("authentication", "none"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return store;
  }

  /** Another one, with other settings; it ends with this process. */
  static SharedStore start(Map<String, String> ofAll) throws IOException {
    SharedStore started = new SharedStore(ofAll);
    Runtime.getRuntime().addShutdownHook(new Thread(started::close));
    return started;
  }

  /** The port of the master. */
  int port() {
    return port;
  }

  /** Its root. */
  static URI uri() {
    return URI.create("lineage://127.0.0.1:" + running().port);
  }

  /** A client that may do everything, on the host of the first worker. */
  static StoreClient client() {
    return client(StoreUser.newBuilder().setName(SUPERUSER).setSuperuser(true).build());
  }

  static StoreClient client(StoreUser user) {
    return new StoreClient(
        new StoreClientConfig(
            List.of(new InetSocketAddress("127.0.0.1", running().port)),
            Network.SOCKETS,
            Credentials.none(),
            user,
            Set.of(HOSTS.get(0)),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(60)));
  }

  /** For clients on the host of the first worker; the user of this process is its superuser. */
  static Configuration configuration() {
    Configuration conf = new Configuration();
    conf.set("fs.AbstractFileSystem.lineage.impl", LineageFs.class.getName());
    conf.set("fs.defaultFS", uri().toString());
    conf.set(LineageKey.AUTHENTICATION.name(), "none");
    conf.set(LineageKey.HOSTS.name(), HOSTS.get(0));
    conf.set(LineageKey.SUPERUSER.name(), SUPERUSER);
    return conf;
  }

  private static String userOfThisProcess() {
    try {
      return UserGroupInformation.getLoginUser().getShortUserName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int startMaster() throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host", "127.0.0.1",
                "port", "0",
                "web.port", "0",
                "journal.sync", "false",
                "journal.dir", directory.resolve("journal").toString()));
    values.putAll(ofAll);
    LineageMaster master =
        LineageMaster.start(settings("master", LineageMasterKey.ALL.prefix(), values));
    daemons.add(0, master);
    return master.port();
  }

  private void startWorker(String host) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "host", host,
                "bind", "127.0.0.1",
                "port", "0",
                "web.port", "0",
                "heartbeat", "50ms",
                "master.address", "127.0.0.1:" + port,
                "dirs", memory.resolve(host) + ":disktype=MEM:capacity=512m"));
    values.putAll(ofAll);
    LineageWorker worker =
        LineageWorker.start(settings(host, LineageWorkerKey.ALL.prefix(), values));
    daemons.add(0, worker);
    Awaitility.await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> worker.metrics().get("sailfish_lineage_worker_heartbeats_total") > 0);
  }

  private Settings settings(String name, String prefix, Map<String, String> values)
      throws IOException {
    Path file = directory.resolve(name + ".properties");
    Files.write(
        file,
        values.entrySet().stream().map(e -> prefix + e.getKey() + "=" + e.getValue()).toList());
    return Settings.read(file);
  }

  private void close() {
    try {
      for (AutoCloseable daemon : daemons) {
        daemon.close();
      }
      for (Path tree : List.of(memory, directory)) {
        try (Stream<Path> files = Files.walk(tree)) {
          for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.deleteIfExists(path);
          }
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException("the store of the tests does not end", e);
    }
  }
}
