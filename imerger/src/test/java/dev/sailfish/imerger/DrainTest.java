package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private static final Duration READER_DEADLINE = Duration.ofSeconds(10);
  private static final int SERVERS = 2;
  private static final int[] WINNERS = {0, 0, 1, 0};

  @TempDir Path directory;

  private final List<Chunkserver> chunkservers = new ArrayList<>();
  private final List<Partition.Item> emitted = new ArrayList<>();
  private LocalServers servers;
  private MetaserverClient client;

  @BeforeEach
  void start() throws IOException {
    servers = LocalServers.secured(directory);
    for (int i = 0; i < SERVERS; i++) {
      chunkservers.add(servers.startChunkserver());
    }
    client = servers.connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    servers.close();
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

  private IappenderConfig config(IfileSpec spec) {
    return new IappenderConfig(
        List.of(servers.address()),
        "127.0.0.1",
        "test",
        4 << 20,
        16 << 10,
        0,
        DEADLINE,
        1 << 20,
        servers.task(spec.job()));
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
    for (int map = 0; map < 2; map++) {
      try (Iappender appender = Iappender.open(config(spec), spec, map, 0)) {
        append(appender, order.encoding(), random, 8000);
        if (map == 0 && whileAppending) {
          client.drain(chunkservers.get(0).id());
        }
        append(appender, order.encoding(), random, 8000);
        appender.commit();
      }
    }
    Partition sorter = new Partition(order, spec.codec());
    emitted.sort(sorter::compareKeys);
    Chunkserver leaving = chunkservers.get(0);
    ImergerConfig reader =
        new ImergerConfig(
            List.of(servers.address()),
            1 << 20,
            directory,
            READER_DEADLINE,
            servers.task(spec.job()));
    try (Imerger imerger = Imerger.open(reader, spec.job(), 0, order, "reduce 0")) {
      imerger.start(WINNERS);
      int before = random.nextInt(2000);
      Partition.assertNext(imerger, emitted.subList(0, before));
      drain(leaving);
      leaving.close();
      Partition.assertNext(imerger, emitted.subList(before, emitted.size()));
      assertThat(imerger.next()).isFalse();
      if (normalized && !whileAppending) {
        assertThat(imerger.statistics().reconnects()).as("it was read from").isPositive();
      }
    }
    try (Imerger imerger = Imerger.open(reader, spec.job(), 0, order, "reduce 0 again")) {
      imerger.start(WINNERS);
      Partition.assertNext(imerger, emitted);
      assertThat(imerger.next()).isFalse();
    }
    assertThat(servers.count(MetaserverMetric.CHUNK_LOSSES.fullName())).isZero();
    client.deleteJob(spec.job());
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                chunkservers.get(1).metrics().get(ChunkserverMetric.MEMORY_USED_BYTES.fullName())
                    == 0);
  }
}
