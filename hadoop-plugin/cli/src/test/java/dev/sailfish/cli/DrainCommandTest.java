package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainCommandTest {
  private static final String HOST = "127.0.0.1";
  private static final String JOB = "job_1_0002";
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<Chunkserver> chunkservers = new ArrayList<>();
  private Metaserver metaserver;
  private Path secret;

  @BeforeEach
  void startServers() throws IOException {
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    "sailfish.metaserver.host",
                    HOST,
                    "sailfish.metaserver.port",
                    "0",
                    "sailfish.metaserver.web.port",
                    "0",
                    "sailfish.metaserver.journal.dir",
                    "none",
                    "sailfish.metaserver.cluster.secret.file",
                    secret.toString())));
    startChunkserver();
  }

  private void startChunkserver() throws IOException {
    int number = chunkservers.size() + 1;
    Map<String, String> settings = new TreeMap<>();
    settings.put("host", HOST);
    settings.put("port", "0");
    settings.put("web.port", "0");
    settings.put("cluster.secret.file", secret.toString());
    settings.put("heartbeat", "50ms");
    settings.put("metaserver.address", HOST + ":" + metaserver.port());
    settings.put("memory.dir", directory.resolve("memory" + number).toString());
    settings.put("memory.size", "64m");
    Map<String, String> prefixed = new TreeMap<>();
    settings.forEach((key, value) -> prefixed.put(ChunkserverConfig.PREFIX + key, value));
    chunkservers.add(Chunkserver.start(ChunkserverConfig.of(prefixed)));
    try (MetaserverClient client = client()) {
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  client.status().getCountersOrDefault(MetaserverMetric.REGISTRATIONS.fullName(), 0)
                      >= number);
    }
  }

  @AfterEach
  void stopServers() throws IOException {
    for (Chunkserver chunkserver : chunkservers) {
      chunkserver.close();
    }
    metaserver.close();
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  private InetSocketAddress address() {
    return new InetSocketAddress(HOST, metaserver.port());
  }

  private MetaserverClient client() throws IOException {
    Credentials cluster = Credentials.ofCluster(ClusterSecret.read("secret", secret));
    return MetaserverClient.connect(address(), "test", cluster, DEADLINE);
  }

  private int drain(String... arguments) {
    List<String> all = new ArrayList<>(List.of("drain"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--metaserver", HOST + ":" + metaserver.port()));
    all.addAll(List.of("--secret-file", secret.toString()));
    return Sailfish.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private void write() throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(address()),
            HOST,
            "ann",
            0,
            0,
            0,
            DEADLINE,
            0,
            Credentials.ofJob(JOB, new byte[] {1})
                .admittedBy(ClusterSecret.read("secret", secret), "test"));
    IfileSpec spec = new IfileSpec(JOB, 1, KeyOrder.normalized(KeyEncoding.RAW), CodecId.LZ4);
    try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
      byte[] key = "key".getBytes(StandardCharsets.US_ASCII);
      appender.append(0, key, 0, key.length, key, 0, key.length);
      appender.commit();
    }
  }

  @Test
  void tellsWhatIsLeftAndWaitsUntilTheServerMayBeStopped() throws IOException {
    write();
    Chunkserver leaving = chunkservers.get(0);
    String name = HOST + ":" + leaving.port();
    assertThat(drain(name, "--deadline", "1")).as("there is no other server").isEqualTo(1);
    assertThat(out.toString()).contains(name + " is drained: chunks left=1");
    startChunkserver();
    assertThat(drain(name)).isZero();
    assertThat(out.toString()).contains(name + " is drained: no job needs it, stop it now.");
    try (MetaserverClient client = client()) {
      assertThat(client.describeJob(JOB, 0).getChunks(0).getPort())
          .isEqualTo(chunkservers.get(1).port());
    }
    assertThat(drain(leaving.id())).as("by its id").isZero();
  }

  @Test
  void saysThatThereIsNoSuchServer() {
    assertThat(drain("nowhere:1")).isEqualTo(1);
    assertThat(err.toString()).contains("Cannot drain nowhere:1", "no live chunkserver");
  }
}
