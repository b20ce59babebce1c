package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.SeedExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A map that runs again because a chunk was lost appends what was lost, and nothing else. */
@ExtendWith(SeedExtension.class)
class ReappendTest {
  private static final String JOB = "reappend";
  private static final int PARTITIONS = 8;

  /** So many that two are home to the map: it loses half. */
  private static final int SERVERS = 8;

  private static final int RECORDS = 4000;
  private static final int KEY_BYTES = 8;
  private static final int VALUE_BYTES = 92;
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Map<String, String> SETTINGS =
      Map.of("sailfish.metaserver.dead.after", "6s");
  private static final byte[] SECRET = {1, 2, 3};
  private static final KeyOrder ORDER = KeyOrder.normalized(KeyEncoding.RAW);

  @TempDir Path temporary;

  private Iappender open(SailfishDaemons daemons, int attempt) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(daemons.address()),
            "127.0.0.1",
            "test",
            8 << 20,
            64 << 10,
            0,
            DEADLINE,
            0,
            daemons.task(JOB, SECRET));
    IfileSpec spec = new IfileSpec(JOB, PARTITIONS, ORDER, CodecId.NONE);
    return Iappender.open(config, spec, 0, attempt);
  }

  /** Appends records that follow from the seed; {@code oddOne} makes one of them another. */
  private static void append(Iappender appender, long seed, int oddOne) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < RECORDS; i++) {
      random.nextBytes(key);
      random.nextBytes(value);
      if (i == oddOne) {
        value[0]++;
      }
      appender.append(i % PARTITIONS, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
    }
  }

  private int read(SailfishDaemons daemons, int partition, int attempt) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            List.of(daemons.address()), 8 << 20, temporary, DEADLINE, daemons.task(JOB, SECRET));
    int records = 0;
    try (Imerger imerger = Imerger.open(config, JOB, partition, ORDER, "test")) {
      imerger.start(new int[] {0, attempt});
      while (imerger.next()) {
        records++;
      }
    }
    return records;
  }

  private static List<ChunkDescription> chunks(MetaserverClient client, ChunkState state)
      throws IOException {
    List<ChunkDescription> chunks = new ArrayList<>(client.describeJob(JOB, -1).getChunksList());
    chunks.removeIf(chunk -> chunk.getState() != state.code());
    return chunks;
  }

  /** When attempt 0 has committed, takes one of its two chunkservers away. */
  private static Set<Integer> loseAServer(SailfishDaemons daemons, MetaserverClient client)
      throws IOException {
    String victim = client.describeJob(JOB, 0).getChunks(0).getServerId();
    for (Chunkserver chunkserver : daemons.chunkservers()) {
      if (chunkserver.id().equals(victim)) {
        chunkserver.close();
      }
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> !chunks(client, ChunkState.LOST).isEmpty());
    Set<Integer> lost = new TreeSet<>();
    chunks(client, ChunkState.LOST).forEach(chunk -> lost.add(chunk.getPartition()));
    assertThat(lost).hasSize(PARTITIONS / 2);
    return lost;
  }

  @Test
  void shouldAppendOnlyTheLostPartitions(SplittableRandom random) throws IOException {
    long seed = random.nextLong();
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, SERVERS, SETTINGS);
        MetaserverClient client = daemons.client()) {
      try (Iappender appender = open(daemons, 0)) {
        assertThat(appender.heldPartitions()).isZero();
        append(appender, seed, -1);
        appender.commit();
      }
      Set<Integer> lost = loseAServer(daemons, client);
      try (Iappender appender = open(daemons, 1)) {
        assertThat(appender.heldPartitions()).isEqualTo(PARTITIONS - lost.size());
        append(appender, seed, -1);
        long records = appender.commit();
        assertThat(records).isEqualTo((long) lost.size() * RECORDS / PARTITIONS);
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(read(daemons, partition, 1)).isEqualTo(RECORDS / PARTITIONS);
      }
    }
  }

  @Test
  void shouldFindOutThatAMapMakesOtherRecords(SplittableRandom random) throws IOException {
    long seed = random.nextLong();
    try (SailfishDaemons daemons = SailfishDaemons.start(temporary, SERVERS, SETTINGS);
        MetaserverClient client = daemons.client()) {
      try (Iappender appender = open(daemons, 0)) {
        append(appender, seed, -1);
        appender.commit();
      }
      Set<Integer> lost = loseAServer(daemons, client);
      int held = 0;
      while (lost.contains(held)) {
        held++;
      }
      try (Iappender appender = open(daemons, 1)) {
        append(appender, seed, held);
        assertThatThrownBy(appender::commit)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("makes other records each time")
            .hasMessageContaining("partition=" + held);
      }
      try (Iappender appender = open(daemons, 2)) {
        assertThat(appender.heldPartitions()).isZero();
        append(appender, seed, held);
        assertThat(appender.commit()).isEqualTo(RECORDS);
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(read(daemons, partition, 2)).isEqualTo(RECORDS / PARTITIONS);
      }
    }
  }
}
