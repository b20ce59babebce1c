package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.KeyEncoding;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A chunkserver is drained while maps append, and stopped while a reduce task reads from it. */
@Seeded
@Timeout(180)
class DrainTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration READER_DEADLINE = Duration.ofSeconds(3);
  private static final int SERVERS = 2;
  private static final int[] WINNERS = {0, 0, 1, 0};

  @TempDir Path directory;

  private final List<Chunkserver> servers = new ArrayList<>();
  private final List<Partition.Item> emitted = new ArrayList<>();
  private byte[] clusterSecret;
  private Metaserver metaserver;
  private MetaserverClient client;

  @BeforeEach
  void start() throws IOException {
    Path secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    clusterSecret = ClusterSecret.read("secret", secret);
    Credentials cluster = Credentials.ofCluster(clusterSecret);
    String meta = "sailfish.metaserver.";
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    meta + "host", "127.0.0.1",
                    meta + "port", "0",
                    meta + "web.port", "0",
                    meta + "journal.dir", "none",
                    meta + "cluster.secret.file", secret.toString())));
    for (int i = 0; i < SERVERS; i++) {
      String name = ChunkserverConfig.PREFIX;
      Map<String, String> settings = new HashMap<>();
      settings.put(name + "host", "127.0.0.1");
      settings.put(name + "bind", "127.0.0.1");
      settings.put(name + "port", "0");
      settings.put(name + "web.port", "0");
      settings.put(name + "cluster.secret.file", secret.toString());
      settings.put(name + "metaserver.address", "127.0.0.1:" + metaserver.port());
      settings.put(name + "memory.dir", directory.resolve("memory" + i).toString());
      settings.put(name + "memory.size", "128m");
      settings.put(name + "growth", "64k");
      settings.put(name + "sorter.memory", "64m");
      settings.put(name + "heartbeat", "50ms");
      servers.add(Chunkserver.start(ChunkserverConfig.of(settings)));
    }
    client = MetaserverClient.connect(address(), "test", cluster, DEADLINE);
    await().atMost(DEADLINE).until(() -> count("metaserver_registrations") >= SERVERS);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    for (Chunkserver server : servers) {
      server.close();
    }
    metaserver.close();
  }

  private Credentials task(IfileSpec spec) {
    return Credentials.ofJob(spec.job(), new byte[] {1, 2, 3}).admittedBy(clusterSecret, "test");
  }

  private InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", metaserver.port());
  }

  private long count(String counter) throws IOException {
    return client.status().getCountersOrDefault(counter, 0);
  }

  private void append(Iappender appender, KeyEncoding encoding, SplittableRandom random, int count)
      throws IOException {
    for (int i = 0; i < count; i++) {
      byte[] key = Keys.random(encoding, random, 3000);
      byte[] value = TestBytes.compressible(random, random.nextInt(500), 0.3);
      emitted.add(new Partition.Item(key, value));
      appender.append(0, key, 0, key.length, value, 0, value.length);
    }
  }

  private void drain(Chunkserver server) {
    await()
        .atMost(DEADLINE)
        .until(() -> client.drain(server.host() + ":" + server.port()).getDrained());
  }

  @ParameterizedTest
  @CsvSource({"true,true", "false,true", "true,false", "false,false"})
  void shouldLoseNothing(boolean normalized, boolean whileAppending, Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    KeyOrder order =
        normalized
            ? KeyOrder.normalized(KeyEncoding.VARIABLE_INTEGER)
            : KeyOrder.of(RandomPartition.DESCENDING);
    IfileSpec spec = new IfileSpec("job_14_1", 1, order, CodecId.LZ4);
    IappenderConfig config =
        new IappenderConfig(
            List.of(address()),
            "127.0.0.1",
            "test",
            4 << 20,
            16 << 10,
            0,
            DEADLINE,
            1 << 20,
            task(spec));
    for (int map = 0; map < 2; map++) {
      try (Iappender appender = Iappender.open(config, spec, map, 0)) {
        append(appender, order.encoding(), random, 8000);
        if (map == 0 && whileAppending) {
          client.drain(servers.get(0).id());
        }
        append(appender, order.encoding(), random, 8000);
        appender.commit();
      }
    }
    Partition sorter = new Partition(order, spec.codec());
    emitted.sort(sorter::compareKeys);
    Chunkserver leaving = servers.get(0);
    ImergerConfig reader =
        new ImergerConfig(List.of(address()), 1 << 20, directory, READER_DEADLINE, task(spec));
    try (Imerger imerger = Imerger.open(reader, spec.job(), 0, order, "reduce 0")) {
      imerger.start(WINNERS);
      int before = random.nextInt(2000);
      check(imerger, emitted.subList(0, before));
      drain(leaving);
      leaving.close();
      check(imerger, emitted.subList(before, emitted.size()));
      assertThat(imerger.next()).isFalse();
      if (normalized && !whileAppending) {
        assertThat(imerger.statistics().reconnects()).as("it was read from").isPositive();
      }
    }
    try (Imerger imerger = Imerger.open(reader, spec.job(), 0, order, "reduce 0 again")) {
      imerger.start(WINNERS);
      check(imerger, emitted);
      assertThat(imerger.next()).isFalse();
    }
    assertThat(count("metaserver_chunks_lost")).isZero();
    client.deleteJob(spec.job());
    await()
        .atMost(DEADLINE)
        .until(() -> servers.get(1).metrics().get("chunkserver_memory_used_bytes") == 0);
  }

  private static void check(Imerger imerger, List<Partition.Item> expected) throws IOException {
    for (Partition.Item item : expected) {
      assertThat(imerger.next()).isTrue();
      int keyEnd = imerger.keyOffset() + imerger.keyLength();
      int valueEnd = imerger.valueOffset() + imerger.valueLength();
      assertThat(Arrays.copyOfRange(imerger.keyBuffer(), imerger.keyOffset(), keyEnd))
          .isEqualTo(item.key());
      assertThat(Arrays.copyOfRange(imerger.valueBuffer(), imerger.valueOffset(), valueEnd))
          .isEqualTo(item.value());
    }
  }
}
