package dev.sailfish.system;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;

/** A master of the lineage store and workers in the test's JVM, which know a secret. */
public final class LineageDaemons implements Closeable {
  /** Where clients are, and the first worker. */
  public static final String HOST = "127.0.0.1";

  private static final String USER = System.getProperty("user.name");
  private static final Duration START = Duration.ofSeconds(60);

  private final Path directory;
  private final Path secret;
  private final ScratchDirectory memory;
  private final LineageMaster master;
  private final Map<String, LineageWorker> workers = new HashMap<>();

  /**
   * Starts a master and one worker.
   *
   * @param settings further ones of the master, by their keys without prefix
   */
  public LineageDaemons(Path directory, Map<String, String> settings) throws IOException {
    this.directory = directory;
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    memory = new ScratchDirectory("sailfish-spark-");
    Map<String, String> own = new HashMap<>(settings);
    own.put("host", HOST);
    own.put("journal.dir", directory.resolve("journal").toString());
    master = LineageMaster.start(settings("master", own));
    startWorker(HOST);
  }

  /** Starts another worker, with nothing in its memory. */
  public void startWorker(String host) throws IOException {
    Path blocks = memory.path().resolve("blocks-" + host + "-" + System.nanoTime());
    Map<String, String> own =
        Map.of(
            "host",
            host,
            "master.address",
            HOST + ":" + master.port(),
            "dirs",
            blocks + ":disktype=MEM:capacity=1g");
    workers.put(host, LineageWorker.start(settings("worker", own)));
    Awaitility.await("the master knows the worker")
        .atMost(START)
        .until(() -> worker(host, "heartbeats_total") > 0);
  }

  /** Ends a worker: what it alone has is lost. */
  public void endWorker(String host) throws IOException {
    workers.remove(host).close();
  }

  /** Where the master listens. */
  public InetSocketAddress master() {
    return new InetSocketAddress(HOST, master.port());
  }

  /** A client for this process's user, who is the superuser; closed by the caller. */
  public StoreClient client() throws IOException {
    return new StoreClient(
        new StoreClientConfig(
            List.of(master()),
            Network.SOCKETS,
            Credentials.ofCluster(ClusterSecret.read("secret", secret)),
            StoreUser.newBuilder().setName(USER).setSuperuser(true).build(),
            Set.of(HOST),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            START));
  }

  private Settings settings(String daemon, Map<String, String> own) throws IOException {
    Map<String, String> values = new HashMap<>(own);
    values.put("port", "0");
    values.put("web.port", "0");
    values.put("cluster.secret.file", secret.toString());
    Path file = directory.resolve(daemon + ".properties");
    Files.write(
        file,
        values.entrySet().stream()
            .map(e -> "sailfish.lineage." + daemon + "." + e.getKey() + "=" + e.getValue())
            .toList());
    return Settings.read(file);
  }

  /** What a client's configuration says to find it. */
  public Map<String, String> keys() {
    return Map.of(
        "fs.lineage.impl",
        "dev.sailfish.lineage.hadoop.LineageFileSystem",
        "fs.AbstractFileSystem.lineage.impl",
        "dev.sailfish.lineage.hadoop.LineageFs",
        "sailfish.lineage.client.masters.store",
        HOST + ":" + master.port(),
        "sailfish.lineage.client.cluster.secret.file",
        secret.toString(),
        "sailfish.lineage.client.hosts",
        HOST,
        "sailfish.lineage.client.superuser",
        USER);
  }

  /** What the first worker counts, or has. */
  public long worker(String name) {
    return worker(HOST, name);
  }

  private long worker(String host, String name) {
    return workers.get(host).metrics().get("sailfish_lineage_worker_" + name);
  }

  @Override
  public void close() throws IOException {
    for (LineageWorker worker : workers.values()) {
      worker.close();
    }
    master.close();
    memory.close();
  }
}
