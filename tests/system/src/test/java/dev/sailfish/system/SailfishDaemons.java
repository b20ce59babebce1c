package dev.sailfish.system;

import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.introduction.ServerKey;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A metaserver and chunkservers in the test's JVM, on ports of their own. */
public final class SailfishDaemons implements Closeable {
  /** Public keys of metaservers that run, by port. */
  private static final Map<Integer, String> PUBLIC_KEYS = new ConcurrentHashMap<>();

  private final Metaserver metaserver;
  private final RunningApplications applications;
  private final Credentials cluster;
  private final Network network;
  private final Optional<byte[]> secret;
  private final List<Chunkserver> chunkservers = new ArrayList<>();
  private final List<Map<String, String>> chunkserverSettings = new ArrayList<>();

  private SailfishDaemons(
      Metaserver metaserver,
      RunningApplications applications,
      Optional<byte[]> secret,
      Network network) {
    this.metaserver = metaserver;
    this.applications = applications;
    this.cluster = secret.map(Credentials::ofCluster).orElseGet(Credentials::none);
    this.secret = secret;
    this.network = network;
  }

  /** Starts them and waits until the metaserver knows all chunkservers. */
  public static SailfishDaemons start(Path work, int chunkservers, Map<String, String> settings)
      throws IOException {
    Path secret = Files.createTempDirectory(work, "cluster").resolve("secret");
    ClusterSecret.create(secret);
    Optional<byte[]> known = Optional.of(ClusterSecret.read("secret", secret));
    return start(work, chunkservers, settings, "cluster.secret.file", secret.toString(), known);
  }

  /** The same, without authentication. */
  public static SailfishDaemons startOpen(Path work, int chunkservers, Map<String, String> settings)
      throws IOException {
    return start(work, chunkservers, settings, "authentication", "none", Optional.empty());
  }

  private static SailfishDaemons start(
      Path work,
      int chunkservers,
      Map<String, String> settings,
      String securityKey,
      String security,
      Optional<byte[]> secret)
      throws IOException {
    Map<String, String> meta = new HashMap<>(settings);
    meta.keySet().removeIf(key -> !key.startsWith("sailfish.metaserver."));
    meta.put("sailfish.metaserver.host", "127.0.0.1");
    meta.put("sailfish.metaserver.port", "0");
    meta.putIfAbsent("sailfish.metaserver.journal.dir", "none");
    meta.put("sailfish.metaserver.web.port", "0");
    meta.put("sailfish.metaserver." + securityKey, security);
    RunningApplications applications = new RunningApplications();
    meta.putIfAbsent("sailfish.metaserver.resourcemanager", applications.address());
    SailfishDaemons daemons =
        new SailfishDaemons(
            Metaserver.start(MetaserverConfig.of(meta)), applications, secret, network(settings));
    secret.ifPresent(
        known -> PUBLIC_KEYS.put(daemons.metaserver.port(), ServerKey.of(known).publicText()));
    for (int i = 0; i < chunkservers; i++) {
      Map<String, String> chunk = new HashMap<>(settings);
      chunk.keySet().removeIf(key -> !key.startsWith("sailfish.chunkserver."));
      chunk.putIfAbsent("sailfish.chunkserver.host", "127.0.0.1");
      chunk.put("sailfish.chunkserver.port", "0");
      chunk.put("sailfish.chunkserver.web.port", "0");
      chunk.put(
          "sailfish.chunkserver.metaserver.address", "127.0.0.1:" + daemons.metaserver.port());
      chunk.put("sailfish.chunkserver.data.dirs", work.resolve("disk" + i) + ":capacity=8g");
      chunk.putIfAbsent("sailfish.chunkserver.memory.size", "256m");
      chunk.put("sailfish.chunkserver.memory.dir", work.resolve("memory" + i).toString());
      chunk.put("sailfish.chunkserver." + securityKey, security);
      Chunkserver chunkserver = Chunkserver.start(ChunkserverConfig.of(chunk));
      daemons.chunkservers.add(chunkserver);
      chunk.put("sailfish.chunkserver.port", Integer.toString(chunkserver.port()));
      daemons.chunkserverSettings.add(chunk);
    }
    daemons.awaitChunkservers();
    return daemons;
  }

  /** TLS for daemons that speak it. */
  private static Network network(Map<String, String> settings) throws IOException {
    String file = settings.get("sailfish.chunkserver.tls.client.file");
    return file == null
        ? Network.SOCKETS
        : TlsNetwork.open(file, SslFile.read("test", Path.of(file)));
  }

  private void awaitChunkservers() throws IOException {
    try (MetaserverClient client = client()) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  client.status().getCountersOrDefault(MetaserverMetric.REGISTRATIONS.fullName(), 0)
                      >= chunkservers.size());
    }
  }

  /** Something that is done while a chunkserver is down. */
  public interface Step {
    void run() throws IOException;
  }

  /** Stops a chunkserver and starts it again on its directories and port. */
  public void restartChunkserver(int number, Step meanwhile) throws IOException {
    chunkservers.get(number).close();
    meanwhile.run();
    chunkservers.set(
        number, Chunkserver.start(ChunkserverConfig.of(chunkserverSettings.get(number))));
  }

  /** By what tasks know the metaserver at an address; empty when it authenticates nobody. */
  public static String publicKey(InetSocketAddress metaserver) {
    return PUBLIC_KEYS.getOrDefault(metaserver.getPort(), "");
  }

  /** From now on no ResourceManager answers, and leases decide; jobs that were admitted go on. */
  public void stopResourceManager() {
    applications.close();
  }

  /** Something passes on to the metaserver what it gets at another address. */
  public void isAlsoAt(InetSocketAddress other) {
    PUBLIC_KEYS.put(other.getPort(), publicKey(address()));
  }

  public InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  public MetaserverClient client() throws IOException {
    return MetaserverClient.connect(
        network, List.of(address()), "test", cluster, Duration.ofSeconds(30));
  }

  /** With which the daemons know each other. */
  public Credentials cluster() {
    return cluster;
  }

  /** Those of a task, which the metaserver admits because it has a ticket. */
  public Credentials task(String job, byte[] taskSecret) {
    Credentials task = Credentials.ofJob(job, taskSecret);
    return secret.isPresent() ? task.admittedBy(secret.get(), "test") : task;
  }

  public List<Chunkserver> chunkservers() {
    return chunkservers;
  }

  @Override
  public void close() throws IOException {
    for (Chunkserver chunkserver : chunkservers) {
      chunkserver.close();
    }
    PUBLIC_KEYS.remove(metaserver.port());
    metaserver.close();
    applications.close();
  }
}
