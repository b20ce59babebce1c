package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.GatedChunkserver;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.ChunkDescription;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A live chunkserver that has not sorted a chunk yet has not lost it. */
@Timeout(120)
class SlowSortTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final int PARTITIONS = 8;
  private static final int RECORDS = 100;
  private static final int LAST = PARTITIONS - 1;
  private static final long SORT_MS = 1000;
  private static final int[] WINNERS = {0, 0};
  private static final KeyOrder ORDER = KeyOrder.normalized(KeyEncoding.RAW);

  @TempDir private Path directory;

  private LocalServers servers;
  private MetaserverClient client;
  private GatedChunkserver chunkserver;

  @BeforeEach
  void start() throws IOException {
    servers = LocalServers.open(directory);
    client = servers.connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    chunkserver.close();
    servers.close();
  }

  private ChunkserverConfig config(String... more) {
    String[] settings = Arrays.copyOf(more, more.length + 2);
    settings[more.length] = "sorter.threads";
    settings[more.length + 1] = "1";
    return servers.config(settings);
  }

  /** A map of the job writes the same number of records to each partition. */
  private void write(String job, int maps) throws IOException {
    servers.awaitRegistrations(1);
    IappenderConfig config =
        new IappenderConfig(
            List.of(servers.address()),
            "127.0.0.1",
            "test",
            4 << 20,
            16 << 10,
            0,
            DEADLINE,
            1 << 20,
            Credentials.none());
    IfileSpec spec = new IfileSpec(job, PARTITIONS, ORDER, CodecId.NONE, false, maps);
    try (Iappender appender = Iappender.open(config, spec, 0, 0)) {
      for (int i = 0; i < RECORDS * PARTITIONS; i++) {
        byte[] key = {(byte) (i >> 8), (byte) i};
        appender.append(i % PARTITIONS, key, 0, key.length, key, 0, key.length);
      }
      appender.commit();
    }
  }

  private long serverCount(ChunkserverMetric metric) {
    return chunkserver.server().metrics().get(metric.fullName());
  }

  private List<ChunkDescription> chunks(String job, int partition) throws IOException {
    List<ChunkDescription> found = new ArrayList<>();
    for (ChunkDescription chunk : client.describeJob(job, partition).getChunksList()) {
      if (chunk.getPartition() == partition) {
        found.add(chunk);
      }
    }
    return found;
  }

  private Imerger open(String job, int partition, Duration patience) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            List.of(servers.address()), 1 << 20, directory, patience, Credentials.none());
    return Imerger.open(config, job, partition, ORDER, "reduce " + partition);
  }

  private void assertAllIsRead(Imerger imerger) throws IOException {
    imerger.start(WINNERS);
    int records = 0;
    while (imerger.next()) {
      records++;
    }
    assertThat(records).isEqualTo(RECORDS);
  }

  /** Asks for the chunks of all partitions but the last one, as readers do that came before. */
  private void othersAsk(ChunkserverClient others, String job) throws IOException {
    for (int partition = 0; partition < LAST; partition++) {
      for (ChunkDescription chunk : chunks(job, partition)) {
        others
            .connection()
            .send(
                IfileService.AWAIT_SORTED,
                AwaitSortedRequest.newBuilder()
                    .setJob(job)
                    .setChunk(chunk.getChunk())
                    .setDeadlineMs((int) DEADLINE.toMillis())
                    .build(),
                new PayloadReply());
      }
    }
    await().atMost(DEADLINE).until(() -> serverCount(ChunkserverMetric.WAITING_READERS) >= LAST);
  }

  private ChunkserverClient connect() throws IOException {
    return ChunkserverClient.connect(
        new InetSocketAddress("127.0.0.1", chunkserver.server().port()), "others", DEADLINE);
  }

  @Test
  void aBacklogThatAdvancesIsWaitedFor() throws IOException {
    chunkserver = GatedChunkserver.slow(config(), SORT_MS);
    write("job_1", 0);
    try (ChunkserverClient others = connect();
        Imerger imerger = open("job_1", LAST, PATIENCE)) {
      othersAsk(others, "job_1");
      long start = System.nanoTime();
      assertAllIsRead(imerger);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("the backlog is longer than the deadline, or the test shows nothing")
          .isGreaterThan(PATIENCE);
    }
    assertThat(servers.count(MetaserverMetric.CHUNKS_UNREADABLE.fullName())).isZero();
  }

  @Test
  void aSortThatDoesNotAdvanceIsSlowAndNotLost() throws IOException {
    chunkserver = GatedChunkserver.start(config());
    write("job_2", 0);
    try (Imerger imerger = open("job_2", LAST, PATIENCE)) {
      Throwable slow = catchThrowable(() -> imerger.start(WINNERS));
      assertThat(slow)
          .isInstanceOf(SlowServerException.class)
          .hasMessageContaining("is not sorted yet")
          .hasMessageContaining("not lost");
    }
    assertThat(servers.count(MetaserverMetric.CHUNKS_UNREADABLE.fullName())).isZero();
    chunkserver.open();
    try (Imerger imerger = open("job_2", LAST, PATIENCE)) {
      assertAllIsRead(imerger);
    }
  }

  @Test
  void aScanOfASlowSortIsNotLostEither() throws IOException {
    chunkserver = GatedChunkserver.start(config());
    write("job_3", 0);
    ImergerConfig config =
        new ImergerConfig(
            List.of(servers.address()), 1 << 20, directory, PATIENCE, Credentials.none());
    try (Imerger reader = Imerger.open(config, "job_3", LAST, ORDER, "scan")) {
      assertThat(catchThrowable(() -> reader.startAll(null)))
          .isInstanceOf(SlowServerException.class)
          .hasMessageContaining("is not sorted yet");
      chunkserver.open();
      reader.startAll(null);
      assertThat(reader.next()).isTrue();
    }
    assertThat(servers.count(MetaserverMetric.CHUNKS_UNREADABLE.fullName())).isZero();
  }

  @Test
  void tooManyReadersThatWaitAreNoLoss() throws IOException {
    chunkserver = GatedChunkserver.slow(config("readers.waiting.max", "7"), SORT_MS);
    write("job_4", 0);
    try (ChunkserverClient others = connect();
        Imerger imerger = open("job_4", LAST, PATIENCE)) {
      othersAsk(others, "job_4");
      assertAllIsRead(imerger);
    }
    assertThat(servers.count(MetaserverMetric.CHUNKS_UNREADABLE.fullName())).isZero();
  }

  @Test
  void whatReadersWaitForIsSortedFirstAndThenTheLowestPartitions() throws IOException {
    chunkserver = GatedChunkserver.start(config());
    write("job_5", 1);
    await()
        .atMost(DEADLINE)
        .until(() -> serverCount(ChunkserverMetric.CHUNKS_STABLE) == PARTITIONS);
    await().atMost(DEADLINE).until(() -> chunkserver.begun().size() == 1);
    try (ChunkserverClient others = connect()) {
      others
          .connection()
          .send(
              IfileService.AWAIT_SORTED,
              AwaitSortedRequest.newBuilder()
                  .setJob("job_5")
                  .setChunk(chunks("job_5", LAST).get(0).getChunk())
                  .setDeadlineMs((int) DEADLINE.toMillis())
                  .build(),
              new PayloadReply());
      await().atMost(DEADLINE).until(() -> serverCount(ChunkserverMetric.WAITING_READERS) == 1);
      chunkserver.open();
      await()
          .atMost(DEADLINE)
          .until(() -> serverCount(ChunkserverMetric.CHUNKS_SORTED) == PARTITIONS);
    }
    List<Integer> begun = new ArrayList<>(chunkserver.begun());
    begun.remove(0);
    assertThat(begun.get(0)).as("a reader waits: %s", begun).isEqualTo(LAST);
    assertThat(begun.subList(1, begun.size())).isSorted();
  }
}
