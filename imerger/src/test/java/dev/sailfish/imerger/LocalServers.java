package dev.sailfish.imerger;

import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A metaserver and chunkservers in the test's JVM, on ports of their own, with what they keep in
 * the test's directory. Questions may be asked from any thread.
 */
final class LocalServers implements Closeable {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final byte[] TASK_SECRET = {1, 2, 3};

  private final Path directory;
  private final Optional<Path> secretFile;
  private final Optional<byte[]> secret;
  private final Metaserver metaserver;
  private final List<Chunkserver> chunkservers = new ArrayList<>();

  private LocalServers(Path directory, boolean secured, String... settings) throws IOException {
    this.directory = directory;
    this.secretFile = secured ? Optional.of(directory.resolve("secret")) : Optional.empty();
    if (secured) {
      ClusterSecret.create(secretFile.get());
      secret = Optional.of(ClusterSecret.read("secret", secretFile.get()));
    } else {
      secret = Optional.empty();
    }
    Map<String, String> all = settings("journal.dir", "none");
    all.putAll(settings(settings));
    metaserver = Metaserver.start(MetaserverConfig.of(prefixed("sailfish.metaserver.", all)));
  }

  /** Starts a metaserver that authenticates nobody. */
  static LocalServers open(Path directory) throws IOException {
    return new LocalServers(directory, false);
  }

  /** Starts a metaserver with a cluster secret; settings are keys and values in turns. */
  static LocalServers secured(Path directory, String... settings) throws IOException {
    return new LocalServers(directory, true, settings);
  }

  /** What all servers are told, and these keys and values. */
  private Map<String, String> settings(String... more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("host", "127.0.0.1");
    settings.put("port", "0");
    settings.put("web.port", "0");
    secretFile.ifPresentOrElse(
        file -> settings.put("cluster.secret.file", file.toString()),
        () -> settings.put("authentication", "none"));
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  private static Map<String, String> prefixed(String prefix, Map<String, String> settings) {
    Map<String, String> prefixed = new HashMap<>();
    settings.forEach((key, value) -> prefixed.put(prefix + key, value));
    return prefixed;
  }

  /** A further chunkserver's configuration; settings are keys and values in turns. */
  ChunkserverConfig config(String... settings) {
    Map<String, String> all =
        settings(
            "bind", "127.0.0.1",
            "metaserver.address", "127.0.0.1:" + metaserver.port(),
            "memory.dir", directory.resolve("memory" + chunkservers.size()).toString(),
            "memory.size", "128m",
            "growth", "64k",
            "sorter.memory", "64m",
            "heartbeat", "50ms");
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    return ChunkserverConfig.of(prefixed(ChunkserverConfig.PREFIX, all));
  }

  /** The configuration with which a chunkserver can be started again, once it is closed. */
  ChunkserverConfig configOf(int number, Chunkserver chunkserver) {
    return config(
        "memory.dir",
        directory.resolve("memory" + number).toString(),
        "port",
        Integer.toString(chunkserver.port()));
  }

  /** What the servers are asked with. */
  Credentials cluster() {
    return secret.map(Credentials::ofCluster).orElseGet(Credentials::none);
  }

  /** Starts a chunkserver and waits until it is registered. */
  Chunkserver startChunkserver(String... settings) throws IOException {
    Chunkserver chunkserver = Chunkserver.start(config(settings));
    chunkservers.add(chunkserver);
    awaitRegistrations(chunkservers.size());
    return chunkserver;
  }

  /** Waits until chunkservers have registered so many times in all. */
  void awaitRegistrations(long registrations) {
    await()
        .atMost(DEADLINE)
        .until(() -> count(MetaserverMetric.REGISTRATIONS.fullName()) >= registrations);
  }

  /** Where the metaserver listens. */
  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  /** A client of the metaserver with the cluster's rights; the caller closes it. */
  MetaserverClient connect() throws IOException {
    return MetaserverClient.connect(address(), "test", cluster(), DEADLINE);
  }

  /** A counter of the metaserver. */
  long count(String counter) throws IOException {
    try (MetaserverClient client = connect()) {
      return client.status().getCountersOrDefault(counter, 0);
    }
  }

  /** A task's credentials, with which the metaserver admits its job. */
  Credentials task(String job) {
    return secret
        .map(known -> Credentials.ofJob(job, TASK_SECRET).admittedBy(known, "test"))
        .orElseGet(Credentials::none);
  }

  @Override
  public void close() throws IOException {
    for (Chunkserver chunkserver : chunkservers) {
      chunkserver.close();
    }
    metaserver.close();
  }
}
